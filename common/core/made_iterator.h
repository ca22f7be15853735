// Goes through what stands by column: each element is made when it is asked for, so there are values and no references.
#pragma once

#include <cstddef>
#include <iterator>

namespace ridge {

/// Of a `List` whose operator[] gives a `Value`. The list has to outlive it.
template <class List, class Value>
class MadeIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Value;

  MadeIterator() = default;
  MadeIterator(const List* of, size_t at) : of_(of), at_(at) {}
  Value operator*() const { return (*of_)[at_]; }
  MadeIterator& operator++() { return ++at_, *this; }
  MadeIterator operator++(int) { return MadeIterator(of_, at_++); }
  bool operator==(const MadeIterator&) const = default;

 private:
  const List* of_ = nullptr;
  size_t at_ = 0;
};

}  // namespace ridge

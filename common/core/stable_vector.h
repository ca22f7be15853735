// A vector whose elements stay where they are: it may grow, and elements may be taken out, without moving
// any other, so that pointers to them stay good.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace ridge {

template <class T>
class StableVector {
  using Slots = std::vector<std::unique_ptr<T>>;

 public:
  /// Random access; `Value` is T or const T.
  template <class Value>
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    Iterator() = default;
    explicit Iterator(const std::unique_ptr<T>* slot) : slot_(slot) {}

    reference operator*() const { return **slot_; }
    pointer operator->() const { return slot_->get(); }
    reference operator[](difference_type n) const { return *slot_[n]; }
    Iterator& operator+=(difference_type n) { return slot_ += n, *this; }
    Iterator& operator-=(difference_type n) { return slot_ -= n, *this; }
    Iterator& operator++() { return ++slot_, *this; }
    Iterator& operator--() { return --slot_, *this; }
    Iterator operator++(int) { return Iterator(slot_++); }
    Iterator operator--(int) { return Iterator(slot_--); }
    Iterator operator+(difference_type n) const { return Iterator(slot_ + n); }
    Iterator operator-(difference_type n) const { return Iterator(slot_ - n); }
    difference_type operator-(const Iterator& other) const { return slot_ - other.slot_; }
    friend Iterator operator+(difference_type n, const Iterator& i) { return i + n; }
    auto operator<=>(const Iterator&) const = default;

   private:
    const std::unique_ptr<T>* slot_ = nullptr;
  };
  using value_type = T;
  using iterator = Iterator<T>;
  using const_iterator = Iterator<const T>;

  StableVector() = default;
  StableVector(StableVector&&) noexcept = default;  ///< the elements stay where they are; no copy
  StableVector& operator=(StableVector&&) noexcept = default;

  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  T& operator[](size_t i) { return *slots_[i]; }
  const T& operator[](size_t i) const { return *slots_[i]; }
  T& front() { return *slots_.front(); }
  const T& front() const { return *slots_.front(); }
  T& back() { return *slots_.back(); }
  const T& back() const { return *slots_.back(); }
  iterator begin() { return iterator(slots_.data()); }
  iterator end() { return iterator(slots_.data() + slots_.size()); }
  const_iterator begin() const { return const_iterator(slots_.data()); }
  const_iterator end() const { return const_iterator(slots_.data() + slots_.size()); }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }

  T& emplace_back() { return *slots_.emplace_back(std::make_unique<T>()); }
  template <class Matches>
  void erase_if(Matches matches) {
    std::erase_if(slots_, [&](const std::unique_ptr<T>& slot) { return matches(*slot); });
  }
  std::vector<const T*> pointers() const {
    std::vector<const T*> all;
    all.reserve(slots_.size());
    for (const auto& slot : slots_) all.push_back(slot.get());
    return all;
  }

 private:
  Slots slots_;
};

}  // namespace ridge

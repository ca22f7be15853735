// When the worker reported what, in the order received: thirty lines a request, for hours. Each is kept as what it differs in
// from the one before it, which takes 9 bytes in place of the 24 of a Moment. So they are read from the first to the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace ridge {

/// When the worker reported something about a request: on its monotonic clock, that of telemetry.
struct Moment {
  double t_s = 0;
  int64_t request = 0;
  int count = 0;  ///< samples, rounds or spans that came with it
  int16_t series = -1;
  uint16_t word = 0;  ///< Run::word() has it: the line's type; of samples their phase: "call", "latency", "rounds"
};

class Moments {
  /// What the next one is told from.
  struct Before {
    int64_t t_ns = 0, request = 0;
    bool operator==(const Before&) const = default;
  };

 public:
  /// One that has come to the end goes on where more were added.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Moment;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Moment;

    Iterator() = default;
    Moment operator*() const { return Iterator(*this).read(); }
    Iterator& operator++() { return read(), *this; }
    Iterator operator++(int) {
      Iterator here = *this;
      read();
      return here;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class Moments;
    Iterator(const Moments* of, size_t at) : of_(of), at_(at) {}
    Moment read();
    uint64_t read_number();

    const Moments* of_ = nullptr;
    size_t at_ = 0;  ///< byte
    Before before_;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Moment front() const { return *begin(); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, bytes_.size()}; }
  void push_back(const Moment& moment);

 private:
  void write_number(uint64_t number);

  std::vector<uint8_t> bytes_;
  Before before_;
  size_t size_ = 0;
};

}  // namespace ridge

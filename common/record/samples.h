// The samples of a series, by column: a session of hours holds thousands of series, and what most samples do not have
// (clocks, temperatures, flags) takes no room in theirs. A sample of a CPU's rung takes 16 bytes in place of the 104 of a
// Sample, and 8 once its series is over.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/made_iterator.h"
#include "common/core/rare.h"
#include "common/record/sample.h"

namespace ridge {

class Samples {
 public:
  using Iterator = MadeIterator<Samples, Sample>;
  using value_type = Sample;
  using iterator = Iterator;
  using const_iterator = Iterator;

  Samples() = default;
  Samples(std::span<const Sample> samples) { append(samples); }
  Samples(const std::vector<Sample>& samples) : Samples(std::span(samples)) {}
  Samples(std::initializer_list<Sample> samples)
      : Samples(std::span(samples.begin(), samples.size())) {}

  size_t size() const { return (times_.size() + whole_.size()) / 2; }
  bool empty() const { return size() == 0; }
  Sample operator[](size_t i) const;
  Sample front() const { return (*this)[0]; }
  Sample back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  double t_ns(size_t i) const { return time(2 * i); }
  double cpu_ns(size_t i) const { return time(2 * i + 1); }
  std::vector<std::string> flags(size_t i) const;
  /// Of all of them.
  std::vector<double> times_ns() const;
  /// Those from `first` on, each as a whole.
  std::vector<Sample> from(size_t first) const;

  void push_back(const Sample& sample);
  void append(std::span<const Sample> samples);
  /// To the first `count` of them.
  void truncate(size_t count);
  void clear() { *this = Samples(); }
  void set_clock(size_t i, std::optional<double> sm_clock_hz);
  void set_flags(size_t i, const std::vector<std::string>& flags);
  /// For what is over: gives back the room that was taken for more of them. Nothing that they say changes.
  void shrink();

 private:
  /// Each column is empty as long as no sample has anything in it.
  struct Columns {
    std::vector<int64_t> index;  ///< empty: each its place
    std::vector<int64_t> calls;  ///< empty: calls_
    std::vector<double> sm_clock_hz, temp_c, power_w;  ///< NaN: not read
    std::map<size_t, std::vector<std::string>> odd_flags;  ///< what has kOdd in flags_
  };
  Columns& columns();
  int64_t calls(size_t i) const {
    return columns_ && !columns_->calls.empty() ? columns_->calls[i] : calls_;
  }
  /// Of times_, by place.
  double time(size_t place) const {
    return whole_.empty() ? times_[place]
                          : static_cast<double>(whole_[place]) / static_cast<double>(calls(place / 2));
  }
  void pack();
  void unpack();

  std::vector<double> times_;    ///< of each its t_ns and its cpu_ns
  std::vector<uint32_t> whole_;  ///< in their place, where each is a whole number of ns over its calls: those numbers
  std::vector<uint8_t> flags_;   ///< a bit for each that is known, in the order that they are put in; empty: none
  int64_t calls_ = 1;            ///< of all, while they agree
  Rare<Columns> columns_;
};

}  // namespace ridge

// Numbers of which few differ, as readings of a sensor do that has so many steps: each stands once, and 16 bits a number
// say which it is. Where many differ they stand as they are, in 32 bits as long as that says all of each: of pages of memory
// it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ridge {

class FewValues {
 public:
  size_t size() const {
    return !is_plain_ ? places_.size() : floats_.empty() ? values_.size() : floats_.size();
  }
  double operator[](size_t i) const {
    return !is_plain_ ? values_[places_[i]] : floats_.empty() ? values_[i] : double{floats_[i]};
  }
  void push_back(double value);

 private:
  void make_plain();
  void push_plain(double value);

  std::vector<double> values_;  ///< each once, in the order met; plain: all of them
  std::vector<float> floats_;   ///< plain: all of them, in place of values_
  std::vector<uint16_t> places_;
  std::map<uint64_t, uint16_t> place_of_;  ///< by the number's bits: NaN and -0 come back as they were
  bool is_plain_ = false;
};

}  // namespace ridge

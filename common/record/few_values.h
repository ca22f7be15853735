// Numbers of which few differ, as readings of a sensor do that has so many steps: each stands once, and 16 bits a number
// say which it is. Where many differ they stand as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ridge {

class FewValues {
 public:
  size_t size() const { return is_plain_ ? values_.size() : places_.size(); }
  double operator[](size_t i) const { return is_plain_ ? values_[i] : values_[places_[i]]; }
  void push_back(double value);

 private:
  void make_plain();

  std::vector<double> values_;  ///< each once, in the order met; plain: all of them
  std::vector<uint16_t> places_;
  std::map<uint64_t, uint16_t> place_of_;  ///< by the number's bits: NaN and -0 come back as they were
  bool is_plain_ = false;
};

}  // namespace ridge

#include "common/record/few_values.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <utility>

namespace ridge {

void FewValues::push_back(double value) {
  constexpr size_t kFew = 1024;  // up to so many are worth it, whatever their share
  if (is_plain_) return push_plain(value);
  const auto bits = std::bit_cast<uint64_t>(value);
  auto known = place_of_.find(bits);
  if (known == place_of_.end()) {
    const bool are_many = values_.size() > UINT16_MAX ||
                          (values_.size() > kFew && values_.size() > places_.size() / 16);
    if (are_many) {
      make_plain();
      return push_plain(value);
    }
    known = place_of_.emplace(bits, static_cast<uint16_t>(values_.size())).first;
    values_.push_back(value);
  }
  places_.push_back(known->second);
}

void FewValues::make_plain() {
  is_plain_ = true;
  std::vector<double> once;
  once.swap(values_);
  for (const uint16_t place : places_) push_plain(once[place]);
  std::vector<uint16_t>().swap(places_);
  place_of_.clear();
}

void FewValues::push_plain(double value) {
  const auto is_all_of_it = [value] {
    if (std::isfinite(value) && std::fabs(value) > FLT_MAX) return false;
    const double again = static_cast<float>(value);
    return std::bit_cast<uint64_t>(again) == std::bit_cast<uint64_t>(value);
  };
  if (values_.empty() && is_all_of_it()) return floats_.push_back(static_cast<float>(value));
  if (values_.empty()) {
    values_.assign(floats_.begin(), floats_.end());
    std::vector<float>().swap(floats_);
  }
  values_.push_back(value);
}

}  // namespace ridge

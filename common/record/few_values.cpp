#include "common/record/few_values.h"

#include <bit>
#include <utility>

namespace ridge {

void FewValues::push_back(double value) {
  constexpr size_t kFew = 1024;  // up to so many are worth it, whatever their share
  if (is_plain_) return values_.push_back(value);
  const auto bits = std::bit_cast<uint64_t>(value);
  auto known = place_of_.find(bits);
  if (known == place_of_.end()) {
    const bool are_many = values_.size() > UINT16_MAX ||
                          (values_.size() > kFew && values_.size() > places_.size() / 16);
    if (are_many) {
      make_plain();
      return values_.push_back(value);
    }
    known = place_of_.emplace(bits, static_cast<uint16_t>(values_.size())).first;
    values_.push_back(value);
  }
  places_.push_back(known->second);
}

void FewValues::make_plain() {
  std::vector<double> all;
  all.reserve(2 * places_.size());
  for (const uint16_t place : places_) all.push_back(values_[place]);
  values_ = std::move(all);
  places_ = {};
  place_of_ = {};
  is_plain_ = true;
}

}  // namespace ridge

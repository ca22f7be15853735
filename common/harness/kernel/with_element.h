// From the data type that is asked for to the element type of a kernel template. A learner's edit is built for one data
// type (worker/edit/build.h says which: -DRIDGE_ONLY_DTYPE=bf16), so that a save does not wait for kernels that it does
// not run: of five types of a wgmma rung they are 0.85 of 2.6 s.
#pragma once

#include "common/harness/kernel/kernel.h"

namespace ridge {

/// The data type whose element this is.
template <typename Element>
constexpr DType kTypeOf = Element::kType;
template <>
inline constexpr DType kTypeOf<float> = DType::fp32;

#ifdef RIDGE_ONLY_DTYPE
constexpr bool is_built(DType type) {
  return type == DType::RIDGE_ONLY_DTYPE;
}
#define RIDGE_WORDS_OF(text) #text
#define RIDGE_WORDS(text) RIDGE_WORDS_OF(text)
constexpr const char* kNotBuilt = "this edit was built for " RIDGE_WORDS(RIDGE_ONLY_DTYPE) " only";
#undef RIDGE_WORDS
#undef RIDGE_WORDS_OF
#else
constexpr bool is_built(DType) {
  return true;
}
constexpr const char* kNotBuilt = "not a data type of this rung";
#endif

/// Calls `run(Element{})` of that of the elements which `dtype` names.
template <typename Element, typename... Others, typename Run>
Status with_element(DType dtype, Run run) {
  if constexpr (is_built(kTypeOf<Element>)) {
    if (dtype == kTypeOf<Element>) return run(Element{});
  }
  if constexpr (sizeof...(Others) > 0) {
    return with_element<Others...>(dtype, run);
  } else {
    return {kNotBuilt, "with_element", __FILE__, __LINE__, false};
  }
}

}  // namespace ridge

// Reading, checking and printing parameters.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge {

/// A whole number in [min, max].
ParamSpec int_param(const char* name, const char* help, int64_t min, int64_t max, int64_t fallback);
/// The whole number in [1, max] that is the problem's size; with `same_as` one that copies another where it is not
/// set, and is not the size.
ParamSpec extent_param(const char* name, const char* help, int64_t max, int64_t fallback,
                       const char* same_as = "");
/// One of `choices`; the first where it is not set.
ParamSpec choice_param(const char* name, const char* help, std::vector<std::string> choices);
/// "threads", from one to this machine's processors; one where it is not set.
ParamSpec threads_param();
/// "n=1024" -> {n: 1024}. Whole numbers become integers, everything else text.
Result<Params> parse_params(const std::vector<std::string>& assignments);
/// "k=17 m=31 n=7", in name order.
std::string to_string(const Params& params);
/// The parameter that is the problem's size: the one that says so or, in runs saved before one did, the
/// one that others copy. Empty: none.
std::string size_param(const std::vector<ParamSpec>& specs);
/// "n = 4096", and the other whole numbers that differ from it; threads are no size.
std::string size_text(const Params& params, const std::string& size);
/// Whether `params` have the values of `wanted`, where they name them at all.
bool agrees(const Params& params, const Params& wanted);
/// "dtype fp32 instead of int8": what both name and have other values of.
std::string values_instead(const Params& own, const Params& other);
/// The parameters that both name and have other values of. The size is none of them, nor what follows it (m and k of n),
/// the seed, the threads and the type: a line over sizes is told apart by those itself.
std::set<std::string> differing_beside_size(const Params& a, const Params& b,
                                            const std::string& size);
std::string to_string(const ParamValue& value);
/// Fills in what was not set (same_as, then fallback) and checks every value against `specs`.
/// The error names the parameter, its value and its range.
Result<Params> resolve_params(const std::vector<ParamSpec>& specs, const Params& given,
                              const std::string& family);
int64_t param_int(const Params& params, const std::string& name, int64_t fallback = 0);
std::string param_text(const Params& params, const std::string& name,
                       const std::string& fallback = "");

}  // namespace ridge

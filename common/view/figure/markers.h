// Figures in Markdown that is read elsewhere (README, docs): a comment holds the reference, what it gives stands behind.
//
//   <!-- figure h200 gemm.cuda.tuned n=4096 dtype=bf16 vs=cublaslt -->0.993 [0.979, 0.999]<!-- /figure -->
//   <!-- figures
//   | rung | 4096 |
//   | tuned | {{h200 gemm.cuda.tuned n=4096 dtype=bf16 vs=cublaslt}} |
//   -->
//   ... the same lines, filled in ...
//   <!-- /figures -->
#pragma once

#include <string>
#include <string_view>

#include "common/core/result.h"
#include "common/view/figure/figure.h"

namespace ridge::figure {

/// The document with everything behind its comments made anew; the same text where nothing has changed. A figure of
/// older code is marked; its machine is not, since such a page says which machine its figures are of. Errors (bad_input) name `where` and the line: a bad
/// reference, a comment without content, one that is not closed, a closing one alone.
Result<std::string> fill_markers(std::string_view document, const Sources& sources,
                                 const std::string& where);

/// How many markers a document has.
int count_markers(std::string_view document);

}  // namespace ridge::figure

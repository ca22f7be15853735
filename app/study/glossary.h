// The glossary: one text per term, found by name or alias, and found again inside other texts so that
// they can link to it. assets/glossary.md holds it; docs/study.md describes the file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace ridge::study {

struct Term {
  std::string name;
  std::vector<std::string> aliases;
  std::string text;  ///< one paragraph of plain sentences; may name other terms
};

/// A term as it stands in a text: bytes [at, at + size) name terms()[term].
struct Mention {
  size_t at = 0, size = 0;
  int term = 0;
};

class Glossary {
 public:
  /// `where` names the file in errors, which name the line: two terms of one name, a term without text.
  static Result<Glossary> parse(const std::string& text, const std::string& where);

  const std::vector<Term>& terms() const { return terms_; }  ///< in the file's order: by name
  /// By name or alias, whatever the case; null if there is none.
  const Term* find(std::string_view name) const;
  /// The terms named in a text, in its order and not overlapping; the longest name wins ("tensor
  /// parallelism" over "tensor"). A form with a capital after its first letter ("TMA", "ZeRO") must
  /// stand so, others in any case; a plural s is part of the mention.
  std::vector<Mention> mentions(std::string_view text) const;

 private:
  struct Form {
    std::string text;
    bool exact = false;
    int term = 0;
  };
  Result<void> add_form(const std::string& form, int term, const std::string& where);
  std::vector<Term> terms_;
  std::map<std::string, std::vector<Form>, std::less<>> forms_;  ///< by first word, lower case
  std::map<std::string, int, std::less<>> names_;                ///< lower case
};

/// assets/glossary.md
Result<Glossary> load_glossary();

// ---- metrics -----------------------------------------------------------------------------------
// What each metric on screen, in a report or in a JSON document means. assets/metrics.json holds it.

struct Metric {
  std::string name, formula, unit;
  std::string better;             ///< "higher", "lower", or "" where neither is
  std::string why;                ///< why it matters, one or two sentences
  std::vector<std::string> json;  ///< the fields that carry it: "median_ns" of stats, "power_w" ...
  std::vector<std::string>
      columns;  ///< headings of a report's tables that mean it, besides its name
};

using Metrics = std::map<std::string, Metric>;  ///< by key: "time_per_call"

Result<Metrics> parse_metrics(const std::string& text, const std::string& where);
Result<Metrics> load_metrics();

}  // namespace ridge::study

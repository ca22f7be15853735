// The answers to a BUDGET.json as four readers take them: a terminal, a merge request, a CI's page of tests, a program.
#pragma once

#include <string>

#include "app/query/check_answers.h"
#include "common/record/json.h"

namespace ridge::app {

/// Each check with its demands, then all of them in one sentence.
std::string check_text(const CheckAnswers& answers);

/// A summary for a merge request: the worst first, what was compared folded away.
std::string check_markdown(const CheckAnswers& answers);

/// JUnit XML, a test case for each demand, its class the check. Not met is a failure; whatever leaves a demand without an
/// answer is an error. Attributes as in the schema that Jenkins and GitLab read (testsuites, testsuite, testcase).
std::string check_junit(const CheckAnswers& answers);

/// docs/schema/check.schema.json
Json check_json(const CheckAnswers& answers);

}  // namespace ridge::app

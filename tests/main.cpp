// The main of each test: a program whose every case was skipped ends with 77, which ctest calls skipped. A case says so
// by RIDGE_SKIP (tests/skip.h); what fails beside it fails.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#define RIDGE_GO_ON
using Asserted = void;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#define RIDGE_GO_ON true
using Asserted = bool;
#endif

namespace {

int cases = 0, skipped_cases = 0;

class SkipCounter : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo&) override { is_skipped_ = false; }
  Asserted assertionEnded(const Catch::AssertionStats& stats) override {
    for (const Catch::MessageInfo& info : stats.infoMessages)
      is_skipped_ |=
          info.type == Catch::ResultWas::Warning && info.message.rfind("skipped: ", 0) == 0;
    return RIDGE_GO_ON;
  }
  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++cases;
    skipped_cases += is_skipped_;
  }

 private:
  bool is_skipped_ = false;
};

CATCH_REGISTER_LISTENER(SkipCounter)

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const int failed = Catch::Session().run(argc, argv);
  return failed == 0 && cases > 0 && skipped_cases == cases ? kSkipped : failed;
}

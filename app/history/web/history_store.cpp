// A page has no database.
#include "app/history/history_store.h"

namespace ridge::history {

struct HistoryStore::Database {};

std::string history_path() {
  return "";
}

std::string why_no_history() {
  return "A page keeps no history of results: it keeps whole runs, and the desktop program a history.";
}

HistoryStore::HistoryStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
HistoryStore::HistoryStore(HistoryStore&&) noexcept = default;
HistoryStore& HistoryStore::operator=(HistoryStore&&) noexcept = default;
HistoryStore::~HistoryStore() = default;

Result<HistoryStore> HistoryStore::open(const std::string&) {
  const std::string why = why_no_history();
  return Error{ErrorCode::unavailable, why.substr(0, why.size() - 1), "", ""};
}
// Never called: there is no store to call them on.
Result<Added> HistoryStore::add(std::span<const Entry>, std::span<const Source>) {
  return Added{};
}
Result<std::vector<Entry>> HistoryStore::entries() {
  return std::vector<Entry>{};
}
Result<std::vector<Source>> HistoryStore::sources(std::span<const std::string>) {
  return std::vector<Source>{};
}

}  // namespace ridge::history

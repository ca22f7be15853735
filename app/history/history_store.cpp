#include "app/history/history_store.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "common/core/files.h"
#include "common/core/late_library.h"
#include "common/core/program.h"

#ifdef RIDGE_HAS_SQLITE
#include <sqlite3.h>
#endif

namespace ridge::history {

std::string history_path() {
  if (const char* set = std::getenv("RIDGEPOINT_HISTORY"); set && *set)
    return std::string_view(set) == "off" ? "" : set;
  return data_folder("history.db");
}

#ifdef RIDGE_HAS_SQLITE

namespace {

/// "RIDG": what tells our file from another program's database.
constexpr int kApplication = 0x52494447;

constexpr const char* kTables = R"sql(
CREATE TABLE source(hash TEXT PRIMARY KEY, path TEXT NOT NULL, flags TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE result(
  run TEXT NOT NULL, lab TEXT NOT NULL, kernel TEXT NOT NULL, params TEXT NOT NULL, how TEXT NOT NULL,
  machine TEXT NOT NULL, ended_utc_s REAL NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL, low REAL, high REAL,
  samples INTEGER NOT NULL, disturbed TEXT NOT NULL, hash TEXT NOT NULL, commit_id TEXT NOT NULL,
  compiler TEXT NOT NULL, version TEXT NOT NULL, os TEXT NOT NULL, power TEXT NOT NULL, governor TEXT NOT NULL,
  driver TEXT NOT NULL, clock_hz REAL, UNIQUE(run, kernel, params));
CREATE INDEX result_of_rung ON result(kernel, ended_utc_s);
)sql";

std::string quoted_error(sqlite3* database) {
  return std::string("SQLite says: ") + sqlite3_errmsg(database);
}

/// One prepared statement.
class Statement {
 public:
  Statement(sqlite3* database, const char* text) {
    sqlite3_prepare_v2(database, text, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& put(std::string_view text) {
    sqlite3_bind_text(statement_, ++at_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& put(const std::optional<double>& value) {
    value ? sqlite3_bind_double(statement_, ++at_, *value) : sqlite3_bind_null(statement_, ++at_);
    return *this;
  }
  Statement& put(int value) {
    sqlite3_bind_int(statement_, ++at_, value);
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or what went wrong. After the last row it takes new values.
  int step() {
    at_ = 0;
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW) sqlite3_reset(statement_);
    return code;
  }
  std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text ? std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)))
                : "";
  }
  std::optional<double> number(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_double(statement_, column);
  }
  int whole(int column) const { return sqlite3_column_int(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

/// The number that a PRAGMA answers with; absent: the file cannot be read.
std::optional<int> pragma(sqlite3* database, const char* text) {
  Statement statement(database, text);
  if (statement.step() != SQLITE_ROW) return std::nullopt;
  return statement.whole(0);
}

Entry entry_of(const Statement& row) {
  Entry entry;
  int at = 0;
  for (std::string* text :
       {&entry.run, &entry.lab, &entry.kernel, &entry.params, &entry.how, &entry.machine})
    *text = row.text(at++);
  entry.ended_utc_s = row.number(at++).value_or(0);
  entry.unit = row.text(at++);
  entry.value = row.number(at++).value_or(0);
  const auto low = row.number(at++), high = row.number(at++);
  if (low && high) entry.ci = Interval{*low, *high};
  entry.samples = row.whole(at++);
  for (std::string* text :
       {&entry.disturbed, &entry.hash, &entry.commit, &entry.compiler, &entry.version, &entry.os,
        &entry.power, &entry.governor, &entry.driver})
    *text = row.text(at++);
  entry.clock_hz = row.number(at);
  return entry;
}

}  // namespace

struct HistoryStore::Database {
  std::string path;
  sqlite3* handle = nullptr;

  ~Database() { sqlite3_close(handle); }

  int run(const char* text) const { return sqlite3_exec(handle, text, nullptr, nullptr, nullptr); }

  Error cannot_write(const std::string& hint) const {
    const bool is_held = (sqlite3_errcode(handle) & 0xff) == SQLITE_BUSY;
    if (is_held)
      return {ErrorCode::cannot_write,
              "another process holds the history, and " + std::to_string(kPatience_ms / 1000) +
                  " s were not enough for it",
              path, "try again"};
    return {ErrorCode::cannot_write, "the history cannot be written (" + quoted_error(handle) + ")",
            path, hint};
  }

  Error damaged() const {
    return {ErrorCode::bad_input,
            "the file is no history of Ridgepoint, or it is damaged (" + quoted_error(handle) + ")",
            path,
            "it was left as it is: move it away, or name another file with RIDGEPOINT_HISTORY"};
  }

  /// BEGIN IMMEDIATE takes the lock that a writer needs at once: a later COMMIT cannot find it taken.
  Result<void> begin() const {
    if (run("BEGIN IMMEDIATE") == SQLITE_OK) return {};
    return cannot_write(
        "make the file and its folder writable, or name another with RIDGEPOINT_HISTORY");
  }
  Result<void> commit() const {
    if (run("COMMIT") == SQLITE_OK) return {};
    const Error error = cannot_write("free some room on its disk");
    run("ROLLBACK");
    return error;
  }

  Result<void> check() const {
    // First: another process may make the tables meanwhile, and both numbers with them.
    const auto tables = pragma(handle, "SELECT count(*) FROM sqlite_master");
    const auto version = pragma(handle, "PRAGMA user_version");
    const auto application = pragma(handle, "PRAGMA application_id");
    if (!version || !application || !tables) {
      const int code = sqlite3_errcode(handle) & 0xff;
      if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return damaged();
      return cannot_write(
          "make the file and its folder writable, or name another with RIDGEPOINT_HISTORY");
    }
    if (*tables == 0) return make_tables();
    if (*application != kApplication)
      return Error{ErrorCode::bad_input, "the file is a database of another program", path,
                   "it was left as it is: name another file with RIDGEPOINT_HISTORY"};
    if (*version > kSchemaVersion)
      return Error{ErrorCode::bad_input,
                   "the history was written by a newer Ridgepoint: its version is " +
                       std::to_string(*version) + ", and this program knows " +
                       std::to_string(kSchemaVersion),
                   path, "it was left as it is: update Ridgepoint"};
    return {};
  }

  /// Where two processes begin a history at once, the second finds the tables of the first.
  Result<void> make_tables() const {
    run("PRAGMA journal_mode = WAL");
    RIDGE_TRY_VOID(begin());
    if (pragma(handle, "SELECT count(*) FROM sqlite_master").value_or(1) == 0) {
      const std::string text = std::string(kTables) +
                               "PRAGMA application_id = " + std::to_string(kApplication) +
                               "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
      if (run(text.c_str()) != SQLITE_OK) {
        const Error error = cannot_write("free some room on its disk");
        run("ROLLBACK");
        return error;
      }
    }
    return commit();
  }

  Result<Added> insert(std::span<const Entry> entries, std::span<const Source> sources) const;
};

std::string why_no_history() {
  const std::string& missing = missing_library("sqlite");
  return missing.empty() ? "" : "A history is kept by SQLite, and this program " + missing + ".";
}

HistoryStore::HistoryStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
HistoryStore::HistoryStore(HistoryStore&&) noexcept = default;
HistoryStore& HistoryStore::operator=(HistoryStore&&) noexcept = default;
HistoryStore::~HistoryStore() = default;

Result<HistoryStore> HistoryStore::open(const std::string& path) {
  if (const std::string why = why_no_history(); !why.empty())
    return Error{ErrorCode::unavailable, why.substr(0, why.size() - 1), "", ""};
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    return Error{ErrorCode::bad_input, "this is a folder, and no history", path,
                 "name a file with RIDGEPOINT_HISTORY or --database"};
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  auto database = std::make_unique<Database>();
  database->path = path;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &database->handle, flags, nullptr) != SQLITE_OK) {
    return database->cannot_write(
        "make its folder writable, or name another file with RIDGEPOINT_HISTORY");
  }
  sqlite3_busy_timeout(database->handle, kPatience_ms);
  RIDGE_TRY_VOID(database->check());
  return HistoryStore(std::move(database));
}

Result<Added> HistoryStore::Database::insert(std::span<const Entry> entries,
                                             std::span<const Source> sources) const {
  Added added;
  Statement source(handle, "INSERT OR IGNORE INTO source VALUES(?,?,?,?)");
  for (const Source& one : sources) {
    if (source.put(one.hash).put(one.path).put(one.flags).put(one.text).step() != SQLITE_DONE)
      return cannot_write("free some room on its disk");
  }
  Statement result(
      handle, "INSERT OR IGNORE INTO result VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const Entry& one : entries) {
    const auto end = [&](bool is_low) -> std::optional<double> {
      if (!one.ci) return std::nullopt;
      return is_low ? one.ci->low : one.ci->high;
    };
    result.put(one.run).put(one.lab).put(one.kernel).put(one.params).put(one.how).put(one.machine);
    result.put(std::optional(one.ended_utc_s)).put(one.unit).put(std::optional(one.value));
    result.put(end(true))
        .put(end(false))
        .put(one.samples)
        .put(one.disturbed)
        .put(one.hash)
        .put(one.commit);
    result.put(one.compiler)
        .put(one.version)
        .put(one.os)
        .put(one.power)
        .put(one.governor)
        .put(one.driver);
    if (result.put(one.clock_hz).step() != SQLITE_DONE)
      return cannot_write("free some room on its disk");
    ++(sqlite3_changes(handle) > 0 ? added.entries : added.known);
  }
  return added;
}

Result<Added> HistoryStore::add(std::span<const Entry> entries, std::span<const Source> sources) {
  RIDGE_TRY_VOID(database_->begin());
  auto added = database_->insert(entries, sources);
  if (!added) {
    database_->run("ROLLBACK");
    return added;
  }
  RIDGE_TRY_VOID(database_->commit());
  return added;
}

Result<std::vector<Entry>> HistoryStore::entries() {
  Statement rows(database_->handle, "SELECT * FROM result ORDER BY ended_utc_s, rowid");
  std::vector<Entry> entries;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) entries.push_back(entry_of(rows));
  if (code != SQLITE_DONE) return database_->damaged();
  return entries;
}

Result<std::vector<Source>> HistoryStore::sources(std::span<const std::string> hashes) {
  std::vector<Source> found;
  Statement rows(database_->handle, "SELECT * FROM source WHERE hash = ?");
  for (const std::string& hash : hashes) {
    int code = rows.put(hash).step();
    for (; code == SQLITE_ROW; code = rows.step())
      found.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
    if (code != SQLITE_DONE) return database_->damaged();
  }
  return found;
}

#else

struct HistoryStore::Database {};

std::string why_no_history() {
  if (!has_programs())  // in a browser
    return "A page keeps no history of results: it keeps whole runs, and the desktop program a "
           "history.";
  return "A history is kept by SQLite, and this program was built without it: install "
         "libsqlite3-dev and build again.";
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

#endif

}  // namespace ridge::history

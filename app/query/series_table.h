// The tables of a ladder: a row per rung, in the order measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::app {

/// Only what was checked before and after its timing has a speed.
bool has_speed(const Series& series);

/// "cpu.naive_o1" where the lab is named as the family is, as the heading says it; else "copy.cpu.streamed", so that
/// no two rungs of a lab read alike.
std::string short_name(const std::string& kernel);

/// The same with what tells it from another of its request that is of the same rung: "cpu.naive_o1 (n = 64)".
std::string name_among(const Run& run, const Series& series);

/// The heading that a table of these series has: "gemm: n = 64, fp32, 1 thread, hot cache, live".
std::string heading_of(const std::vector<const Series*>& all);

/// A table with its heading for each family, size and type. Its column `gain` says how many times as fast a rung is as
/// the rung of ours before it in its table, on the same backend and with a verified speed; a library's, as the best of
/// ours above it. It divides medians measured one after the other: ≈ marks it, and a line below the first such table
/// says that a comparison decides. Where an interval is too wide for a figure, it is a range: "1.2–1.9×".
std::string series_tables(const Run& run, const std::vector<const Series*>& all);

/// How many rows each of these tables has, in their order.
std::vector<size_t> table_rows(const std::vector<const Series*>& all);

/// Stands behind a figure that passes a measured ceiling: a line below the table says which and why.
inline constexpr const char* kDoubtMark = "?";

/// The words below a table that say what its marks mean: each once, below the first table that has it.
class TableNotes {
 public:
  /// A row of a table, cell by cell.
  void see(const std::vector<std::string>& row);
  /// A column that the terminal has no room for.
  void leave_out(const std::string& column);
  /// Of the rows seen since the last call.
  std::string take();

 private:
  enum { kNotes = 3 };
  bool is_wanted_[kNotes] = {}, is_said_[kNotes] = {};
  std::vector<std::string> left_out_;
  bool is_narrow_ = false, is_narrow_said_ = false;
};

/// The same tables, line by line while a run grows: the widths of the columns are known beforehand.
class GrowingTables {
 public:
  /// `kernels` are asked for: the widest name gives the first column its width.
  explicit GrowingTables(const std::vector<std::string>& kernels);
  /// The lines that have come up since the last call. A row is ready once its series has ended and its share of a
  /// ceiling is known, or will not be: ceilings are measured after the first kResultsBeforeCeilings rows. `is_over`: no
  /// series is waited for, and a line names the shares of rows above that are others by now. Traps have no row.
  std::string next(const Run& run, int64_t request, bool is_over);

 private:
  std::string begin(const std::vector<const Series*>& table, const std::vector<std::string>& row);
  std::string line(const std::vector<std::string>& row) const;
  std::string changed_shares(const Run& run, const std::vector<std::vector<const Series*>>& tables);

  size_t name_width_ = 0;
  size_t tables_ = 0, rows_ = 0;  ///< tables begun, and rows printed of the last one
  std::vector<size_t> widths_;    ///< of the last table, as its heading
  std::vector<bool> left_out_;    ///< its columns that the terminal has no room for
  std::vector<std::string> heading_;
  std::vector<std::string> shares_;  ///< that were printed, of all rows of all tables
  TableNotes notes_;
};

}  // namespace ridge::app

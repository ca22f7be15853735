// The diagrams of the lessons: expressions as a kernel writes them, the builders against what is
// known by hand, and every diagram that ships against the source it is drawn from.
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "common/core/format.h"
#include "common/harness/kernel/registry.h"
#include "common/view/diagram/diagram.h"
#include "common/view/diagram/names.h"
#include "common/view/diagram/warp_request.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/golden.h"

using namespace ridge;
using namespace ridge::diagram;

namespace {

using Sizes = std::map<std::string, int64_t>;

Sizes size(int64_t m, int64_t n, int64_t k, int64_t bytes = 4) {
  return {{"m", m}, {"n", n}, {"k", k}, {"dtype_bytes", bytes}};
}

constexpr const char* kSource = R"(
// kTile = 99 in a comment is no constant
constexpr int kTileM = 64, kTileN = kTileM * 2;  /* kRow = 1 */
enum { kRows = 6 };
struct Stage { float a[kTileM][kRow]; };
constexpr int kRow = kTileN + 4;
void f() {
  const int thread = static_cast<int>(threadIdx.x);
  const float* a_row = a + thread / 16 * k;
  const int first = int64_t{thread} % 16 * 4, x = y;
  int y = x;
  kTileM = 7;
})";

int64_t value(const std::string& text, int64_t thread = 0) {
  Input input;
  input.source = kSource;
  input.params = size(8, 9, 10);
  Expressions names = names_of(input);
  names.set("threadIdx.x", thread);
  const auto made = names.value(text);
  INFO(text << ": " << (made ? "" : made.error().sentence()));
  REQUIRE(made.ok());
  return *made;
}

std::string problem(const std::string& text) {
  Expressions names(kSource);
  const auto made = names.value(text);
  return made ? "" : made.error().sentence();
}

struct Fenced {
  std::string kernel, info, body;
};

/// Every diagram of a lesson with the rung that its part belongs to.
std::vector<Fenced> diagrams_of(const Lab& lab) {
  std::vector<Fenced> found;
  const auto lesson = study::read_asset(lab.lesson);
  REQUIRE(lesson.ok());
  for (const study::LessonPart& part : study::lesson_parts(*lesson)) {
    std::istringstream lines(part.text);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
      if (!inside && line.starts_with("```") && is_diagram(line.substr(3))) {
        found.push_back({part.kernel, line.substr(3), ""});
        inside = true;
      } else if (line.starts_with("```")) {
        inside = false;
      } else if (inside) {
        found.back().body += line + "\n";
      }
    }
  }
  return found;
}

/// A source and the kernel headers that it includes, one after the other.
std::string with_headers(const std::string& text) {
  std::set<std::string> seen;
  std::string all = text;
  static const std::regex kInclude("#include \"([^\"]+)\"");
  for (size_t from = 0; from < all.size();) {
    std::smatch match;
    const std::string rest = all.substr(from);
    if (!std::regex_search(rest, match, kInclude)) break;
    from += static_cast<size_t>(match.position(0) + match.length(0));
    if (!seen.insert(match[1]).second) continue;
    for (const auto& file : embedded_files()) {
      if (match[1].str() == file.path) all += "\n" + std::string(file.text);
    }
  }
  return all;
}

/// Whether the tokens of `piece` stand in `text` one after the other.
bool stands_in(const std::string& piece, const std::string& text) {
  const auto wanted = tokens_of(piece), all = tokens_of(text);
  for (size_t i = 0; i + wanted.size() <= all.size(); ++i) {
    size_t same = 0;
    while (same < wanted.size() && all[i + same].text == wanted[same].text) ++same;
    if (same == wanted.size()) return true;
  }
  return false;
}

int passes(const Diagram& made, size_t grid) {
  const std::string& title = made.grids[grid].title;
  return std::atoi(title.c_str() + title.find(": ") + 2);
}

/// Requests of 32 lanes, one behind the other.
WarpSteps steps_of(std::vector<WarpRequest> requests) {
  WarpSteps steps;
  steps.made = std::ssize(requests);
  steps.requests = std::move(requests);
  return steps;
}

WarpRequest request_of(const std::string& offsets, int64_t cost, int64_t conflicts = -1) {
  WarpRequest request{.line = 23, .lane_bytes = 4, .buffer = "B", .offsets = offsets, .cost = cost};
  request.is_shared = conflicts >= 0;
  request.conflicts = std::max<int64_t>(conflicts, 0);
  if (request.is_shared) request.buffer = "shared memory";
  return request;
}

/// Cells of the memory's grid that are drawn as `role` and `alpha`: "row,column+columns".
std::vector<std::string> cells_of(const Diagram& made, chart::Role role, float alpha) {
  std::vector<std::string> cells;
  for (const Cell& cell : made.steps[0].cells[1]) {
    if (cell.role == role && cell.alpha == alpha)
      cells.push_back(std::to_string(cell.row) + "," + std::to_string(cell.column) + "+" +
                      std::to_string(cell.columns));
  }
  return cells;
}

}  // namespace

TEST_CASE("expressions are read as C reads them, with the names of the source") {
  CHECK(value("1 + 2 * 3 - 8 / 4 % 3") == 5);
  CHECK(value("6 >> 1 & 3 ^ 1 | 8") == ((6 >> 1 & 3) ^ 1 | 8));
  CHECK(value("(1 < 2 && 3 != 3) ? 10 : -4") == -4);
  CHECK(value("0x10 + 7u") == 23);
  CHECK(value("kTileN") == 128);
  CHECK(value("kRow * kRows") == 132 * 6);
  CHECK(value("first", 37) == 20);
  CHECK(value("a_row[3]", 37) == 2 * 10 + 3);
  CHECK(value("stage->a[2][5]") == 2 * 132 + 5);
  CHECK(value("g.n + n") == 18);
  CHECK(value("1 / 0") == 0);
}

TEST_CASE("what an expression cannot say is one sentence") {
  CHECK(problem("unheard + 1") == "'unheard' is not declared in the source");
  CHECK(problem("x").find("is declared by itself") != std::string::npos);
  CHECK(problem("min(1, 2)") == "'min()' is not understood");
  CHECK(problem("(1 + 2") == "')' is missing");
  CHECK(problem("1 +") == "a number or a name is missing");
  CHECK(problem("1 2") == "'2' is not understood");
  CHECK(problem("") == "a number or a name is missing");
}

TEST_CASE("an expression of anybody's source ends, and overflows as its machine would") {
  Expressions numbers("");
  const std::string least = "(0 - 9223372036854775807 - 1)";
  CHECK(*numbers.value(least + " / (0 - 1)") == INT64_MIN);
  CHECK(*numbers.value(least + " % (0 - 1)") == 0);
  CHECK(*numbers.value("9223372036854775807 + 1") == INT64_MIN);
  CHECK(*numbers.value("4294967296 * 4294967296") == 0);
  CHECK(*numbers.value("1 << 200") == 1 << 8);
  CHECK(*numbers.value("- - - 5") == -5);
  CHECK(numbers.value(std::string(30'000, '(') + "1").error().what.find("nested too deep") !=
        std::string::npos);
  std::string minus;
  for (int i = 0; i < 30'000; ++i) minus += "- ";
  CHECK(*numbers.value(minus + "1") == 1);
  // Each name twice the one before: 2^39 additions, were a part looked at each time that it is named.
  std::string doubled = "int k0 = 1;";
  for (int i = 1; i < 39; ++i) {
    const std::string before = "k" + std::to_string(i - 1);
    doubled += "int k" + std::to_string(i) + " = " + before + " + " + before + ";";
  }
  Expressions names(doubled);
  CHECK(*names.value("k38") == int64_t{1} << 38);
  // Each array's extents name the next one twice; an index in it is known, or not.
  for (const std::string last : {"i", "unknown"}) {
    std::string arrays;
    for (int i = 0; i < 40; ++i) {
      const std::string next = "a" + std::to_string(i + 1);
      arrays += "float a" + std::to_string(i) + "[" + next + "[" + next + "[i][i]][i]][" + next +
                "[i][" + last + "]];";
    }
    Expressions doubling(arrays + "float a40[2][2];");
    doubling.set("i", 0);
    CHECK_FALSE(doubling.value("a0[i][i]"));
  }
}

TEST_CASE("a directive says what is wrong with it") {
  const auto error = [](const std::string& info, const std::string& body) {
    const auto made = build(info, body, kSource, size(8, 8, 8));
    return made ? "" : made.error().sentence();
  };
  CHECK(error("diagram nothing", "") ==
        "there is no diagram 'nothing'; there are: threads, walk, banks, pipeline, softmax");
  CHECK(error("diagram pipeline", "stages: 2") == "diagram pipeline: 'slices:' is missing");
  CHECK(error("diagram pipeline", "stages: 2\nslices: 3\nspeed: 9") ==
        "diagram pipeline: it has no key 'speed'");
  CHECK(error("diagram pipeline", "stages") == "diagram pipeline: 'stages' is not 'key: text'");
  CHECK(error("diagram pipeline", "stages: kOther\nslices: 3") ==
        "diagram pipeline: 'kOther' is not declared in the source");
  CHECK(error("diagram pipeline", "stages: 2\nslices: 3") == "");
  CHECK(is_diagram("diagram threads"));
  CHECK_FALSE(is_diagram("diagrams"));
  CHECK_FALSE(is_diagram("sh"));
}

TEST_CASE("threads: an element belongs to one thread, or there is no diagram") {
  const std::string head = "rows: 4\ncolumns: 16\nthreads: 32\n";
  const auto good = build("diagram threads",
                          head +
                              "row: t / 16 * 2 + r\ncolumn: t % 16\neach: r < 2\n"
                              "let t = threadIdx.x",
                          "", size(8, 32, 8));
  REQUIRE(good.ok());
  REQUIRE(good->steps.size() == 32);
  CHECK(good->steps[17].words ==
        "Thread 17 has 2 elements: rows 2, 3; columns 1. Its warp 0 has 64.");
  CHECK(good->summary.find("2 × 2 = 4 such tiles") != std::string::npos);
  const auto one = build("diagram threads",
                         head +
                             "row: t / 16 * 2 + r\ncolumn: t % 16\neach: r < 2\n"
                             "let t = threadIdx.x",
                         "", size(4, 16, 8));
  REQUIRE(one.ok());
  CHECK(one->summary.find("one such tile covers C") != std::string::npos);
  // The extents of a matrix y are not m and n.
  const auto other = build("diagram threads",
                           head +
                               "row: t / 16 * 2 + r\ncolumn: t % 16\neach: r < 2\n"
                               "let t = threadIdx.x\nof: y",
                           "", size(4, 16, 8));
  REQUIRE(other.ok());
  CHECK(other->summary.find("such tile") == std::string::npos);
  // Twice the same element; an element outside; too few of them.
  for (const char* places : {"row: threadIdx.x / 16\ncolumn: threadIdx.x % 16\neach: r < 2",
                             "row: threadIdx.x / 16 + 3 + r\ncolumn: threadIdx.x % 16\neach: r < 2",
                             "row: threadIdx.x / 16\ncolumn: threadIdx.x % 16"}) {
    const auto bad = build("diagram threads", head + places, "", size(8, 8, 8));
    REQUIRE_FALSE(bad.ok());
    CHECK(bad.error().what.find("one thread") != std::string::npos);
  }
}

TEST_CASE("walk: lines and bytes are counted, also where lines cross rows") {
  const auto rows = build("diagram walk", "step: j < n\nline: 64\ntouch: B j", "", size(9, 40, 9));
  REQUIRE(rows.ok());
  CHECK(rows->steps.back().words ==
        "j = 15: of B 1 element in 1 line (there already). So far 64 of 64 bytes were of use.");
  const auto column =
      build("diagram walk", "step: p < k\nline: 64\ntouch: B p * n", "", size(9, 40, 9));
  REQUIRE(column.ok());
  CHECK(column->steps.back().words ==
        "p = 8: of B 1 element in 1 line. So far 36 of 576 bytes were of use.");
  // 40 columns are two and a half lines: the line of row 1's first element begins in row 0.
  bool crosses = false;
  for (const Cell& cell : column->steps[1].cells[0])
    crosses |= cell.row == 0 && cell.alpha > 0.4f && cell.alpha < 0.5f && cell.column == 32;
  CHECK_FALSE(crosses);  // the window ends at column 32: what lies outside is counted, not drawn
  const auto warp =
      build("diagram walk", "lanes: 32\nstep: i < k\nline: 32\ntouch: A threadIdx.x * k + i", "",
            size(64, 64, 64));
  REQUIRE(warp.ok());
  CHECK(warp->steps[0].words ==
        "i = 0: of A 32 elements in 32 sectors. So far 128 of 1024 bytes were of use.");
  CHECK_FALSE(build("diagram walk", "step: i < k\nline: 64\ntouch: D i", "", size(8, 8, 8)).ok());
  // Elements of two bytes: of the type that is set, or of the one that a rung has.
  const std::string row = "step: j < n\nline: 32\ntouch: B j";
  for (const auto& [body, sizes] :
       {std::pair(row, size(9, 40, 9, 2)), std::pair(row + "\nbytes: 2", size(9, 40, 9))}) {
    const auto narrow = build("diagram walk", body, "", sizes);
    REQUIRE(narrow.ok());
    CHECK(narrow->steps.back().words.find("So far 32 of 32 bytes") != std::string::npos);
  }
}

TEST_CASE("banks: passes are the most different words that one bank has to give") {
  const auto of = [](const std::string& address, const std::string& more = "") {
    const auto made =
        build("diagram banks", "address: " + address + "\n" + more, "", size(1, 1, 1));
    INFO((made ? "" : made.error().sentence()));
    REQUIRE(made.ok());
    return passes(*made, 0);
  };
  CHECK(of("4 * lane") == 1);
  CHECK(of("0") == 1);  // all ask for one word: a broadcast
  CHECK(of("8 * lane") == 2);
  CHECK(of("128 * lane") == 32);
  CHECK(of("4 * lane * 33") == 1);
  CHECK(of("64 * lane", "bytes: 16") == 4);
  CHECK(of("16 * lane", "bytes: 16") == 1);
  CHECK_FALSE(build("diagram banks", "address: lane", "", size(1, 1, 1)).ok());
}

TEST_CASE("pipeline: a ring long enough hides the copies, one stage hides nothing") {
  const auto of = [](const std::string& stages, int copy) {
    const auto made =
        build("diagram pipeline", "stages: " + stages + "\nslices: 100", "", size(1, 1, 1), copy);
    REQUIRE(made.ok());
    return *made;
  };
  // Of 18 times: the first slice comes after the copy, and then one a time.
  CHECK(of("4", 3).steps.back().words.find("So far 15 of 18") != std::string::npos);
  CHECK(of("1", 3).steps.back().words.find("So far 4 of 18") != std::string::npos);
  CHECK(of("2", 3).summary.find("50 %") != std::string::npos);
  CHECK(of("4", 3).summary.find("100 %") != std::string::npos);
  CHECK_FALSE(build("diagram pipeline", "stages: 0\nslices: 1", "", size(1, 1, 1)).ok());
  const auto few = build("diagram pipeline", "stages: 4\nslices: 2", "", size(1, 1, 1), 3);
  REQUIRE(few.ok());
  CHECK(few->steps.back().words.find("2 of 5") != std::string::npos);
}

TEST_CASE("softmax: any block size ends at the result of all scores at once") {
  std::set<std::string> results;
  for (const int block : {1, 2, 3, 5, 12}) {
    const auto made =
        build("diagram softmax", "keys: 12\nblock: 3\nseed: 5", "", size(1, 1, 1), block);
    REQUIRE(made.ok());
    CHECK(std::ssize(made->steps) == 2 * ((12 + block - 1) / block));
    const size_t from = made->summary.find("result is ") + 10;
    const std::string result = made->summary.substr(from, made->summary.find(';') - from);
    CHECK(made->summary.find("at once it is " + result) != std::string::npos);
    results.insert(result);
  }
  CHECK(results.size() == 1);
  CHECK_FALSE(build("diagram softmax", "keys: 25\nblock: 3\nseed: 5", "", size(1, 1, 1)).ok());
  CHECK_FALSE(build("diagram softmax", "keys: 4\nblock: 5\nseed: 5", "", size(1, 1, 1)).ok());
}

TEST_CASE("every diagram that ships is drawn from its rung's source, at any size") {
  int count = 0;
  for (const Lab* lab : all_labs()) {
    for (const Fenced& one : diagrams_of(*lab)) {
      INFO(one.kernel << ": " << one.info << "\n" << one.body);
      ++count;
      REQUIRE_FALSE(one.kernel.empty());
      const KernelSource* source = find_source(one.kernel);
      REQUIRE(source != nullptr);
      for (const Sizes& params : {size(1024, 1024, 1024), size(1000, 777, 555, 2), size(1, 1, 1),
                                  size(4096, 512, 8192, 1)}) {
        const auto made = build(one.info, one.body, std::string(source->text), params);
        INFO((made ? "" : made.error().sentence()));
        REQUIRE(made.ok());
        CHECK(!made->steps.empty());
        CHECK(made->still < static_cast<int>(made->steps.size()));
        for (const Step& step : made->steps) CHECK(step.cells.size() == made->grids.size());
      }
      // What the diagram says itself must stand in the source or in a header that it includes.
      const std::string all = with_headers(std::string(source->text));
      const auto directive = parse_directive(one.info, one.body);
      REQUIRE(directive.ok());
      for (const auto& [name, text] : directive->lets) {
        const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
        INFO("let " << name << " = " << text);
        CHECK(stands_in(is_number ? name + " = " + text : text, all));
      }
    }
  }
  CHECK(count >= 20);
}

TEST_CASE("the diagrams that ship say what their lessons say") {
  const auto of = [](const std::string& kernel, const std::string& kind, Sizes params) {
    for (const Fenced& one : diagrams_of(*find_lab("gemm"))) {
      if (one.kernel != kernel || one.info != "diagram " + kind) continue;
      auto made = build(one.info, one.body, std::string(find_source(kernel)->text), params);
      REQUIRE(made.ok());
      return *made;
    }
    FAIL("no " + kind + " of " + kernel);
    return Diagram();
  };
  const Sizes usual = size(1024, 1024, 1024);
  const auto naive = of("gemm.cuda.naive", "walk", usual);
  CHECK(naive.steps[0].words.find("of A 32 elements in 32 sectors, of B 1 element in 1 sector") !=
        std::string::npos);
  const auto coalesced = of("gemm.cuda.coalesced", "walk", usual);
  CHECK(coalesced.steps[0].words.find(
            "of A 1 element in 1 sector, of B 32 elements in 4 sectors") != std::string::npos);
  const auto mma = of("gemm.cuda.mma_sync", "banks", usual);
  CHECK(passes(mma, 0) == 1);
  CHECK(passes(mma, 1) == 4);
  const auto strip = of("gemm.cuda.overlapped_store", "banks", usual);
  CHECK(passes(strip, 0) == 1);
  CHECK(passes(strip, 1) == 8);
  const auto stored = of("gemm.cuda.vectorised", "banks", usual);
  CHECK(passes(stored, 0) == 1);
  CHECK(passes(stored, 1) == 2);
  const auto column = of("gemm.cpu.naive_o1", "walk", usual);
  CHECK(column.steps.back().words.find("So far 128 of 1088 bytes") != std::string::npos);
}

TEST_CASE("a diagram's SVG is the same byte for byte, and every step is as high") {
  chart::LayoutOptions options;
  options.width = 420;
  for (const Fenced& one : diagrams_of(*find_lab("gemm"))) {
    const auto made = build(one.info, one.body, std::string(find_source(one.kernel)->text),
                            size(1024, 1024, 1024));
    REQUIRE(made.ok());
    const auto first = draw(*made, 0, options);
    for (size_t step = 1; step < made->steps.size(); ++step)
      CHECK(draw(*made, static_cast<int>(step), options).height == first.height);
    for (const chart::Primitive& p : draw(*made, made->still, options).primitives) {
      INFO(one.kernel << " " << p.text);
      CHECK(p.a.x >= 0);
      CHECK(p.a.x <= options.width);
      CHECK(p.b.x <= options.width);
    }
    const bool is_golden = one.kernel == "gemm.cuda.mma_sync" ||
                           one.kernel == "gemm.cuda.cp_async" || one.kernel == "gemm.cuda.naive";
    if (!is_golden) continue;
    const std::string part = one.kernel.substr(one.kernel.rfind('.') + 1);
    test::check_golden("diagram_" + part + "_" + made->kind + ".svg",
                       to_svg(*made, "diagram-" + made->kind, options, false));
  }
}

TEST_CASE(
    "a warp's request is drawn as its lanes, their words, and the sectors that come with them") {
  WarpSteps steps = steps_of({request_of("0+4x32", 4), request_of("512+0x32", 1),
                              request_of("0+256x32", 32), request_of("8+4x3 .29", 1)});
  steps.made = 1000;
  const Diagram row = request_diagram(steps, 0);
  CHECK(row.steps[0].words ==
        "Line 23: the 1st request of warp 0 reads 128 bytes of B: 4 sectors of 32 bytes.");
  CHECK(row.summary.find("Counted here, not timed") == 0);
  CHECK(row.summary.find(format_count(1000) + " requests; the first 4 are shown") !=
        std::string::npos);
  CHECK(row.grids[0].columns == 32);
  CHECK(row.grids[1].rows == 1);
  CHECK(cells_of(row, chart::Role::series0, 1).size() == 32);
  CHECK(cells_of(row, chart::Role::series0, 0.35f) ==
        std::vector<std::string>{"0,0+8", "0,8+8", "0,16+8", "0,24+8"});
  CHECK(row.steps[0].links.size() == 32);
  CHECK(row.steps[0].links[5].column == 5);

  const Diagram same = request_diagram(steps, 1);
  CHECK(same.steps[0].words ==
        "Line 23: the 2nd request of warp 0 reads 4 bytes of B, the same for 32 lanes: 1 sector of "
        "32 "
        "bytes, 4 of 32 bytes of use.");
  CHECK(same.grids[1].row_labels == std::vector<std::string>{"512"});
  CHECK(cells_of(same, chart::Role::series0, 1).size() == 1);
  CHECK(same.steps[0].links.size() == 32);

  // A column: a row of the picture for each lane, an eighth of each sector of use.
  const Diagram column = request_diagram(steps, 2);
  CHECK(column.grids[1].rows == 32);
  CHECK(cells_of(column, chart::Role::series0, 0.35f).size() == 32);
  CHECK(column.steps[0].words.find("128 of " + format_count(1024) + " bytes of use") !=
        std::string::npos);

  const Diagram few = request_diagram(steps, 3);
  CHECK(few.steps[0].words.find("reads 12 bytes of B for 3 lanes: 1 sector") != std::string::npos);
  CHECK(std::count_if(few.grids[0].cells.begin(), few.grids[0].cells.end(),
                      [](const Cell& cell) { return cell.alpha == 1; }) == 3);
}

TEST_CASE("a warp's bank conflict is drawn as the bank that all wait for, and counted in turns") {
  WarpSteps steps = steps_of({request_of("0+128x32", 32, 31), request_of("0+4x32", 1, 0),
                              request_of("0+8x32", 2, 1), request_of("0+64x32", 4, 2)});
  steps.requests[3].lane_bytes = 16;
  const Diagram one = request_diagram(steps, 0);
  CHECK(
      one.steps[0].words ==
      "Line 23: the 1st request of warp 0 reads 128 bytes of shared memory: bank 0 is asked for 32 "
      "words: 32 turns.");
  CHECK(cells_of(one, chart::Role::slower, 1).size() == 32);
  CHECK(cells_of(one, chart::Role::slower, 0.2f) == std::vector<std::string>{"0,0+1"});
  CHECK(one.steps[0].cells[1].front().rows == 32);

  const Diagram none = request_diagram(steps, 1);
  CHECK(none.steps[0].words.ends_with(
      "128 bytes of shared memory: 1 turn, without a bank conflict."));
  CHECK(cells_of(none, chart::Role::slower, 1).empty());
  CHECK(cells_of(none, chart::Role::series0, 1).size() == 32);

  // Every second bank, two words each.
  CHECK(request_diagram(steps, 2).steps[0].words.ends_with(
      "banks 0, 2, 4, 6 and 12 more are asked for 2 words each: 2 turns."));
  CHECK(cells_of(request_diagram(steps, 2), chart::Role::slower, 0.2f).size() == 16);
  // 16 bytes a lane go by eight lanes.
  CHECK(request_diagram(steps, 3).steps[0].words.ends_with(
      "are asked for 4 words each at once: 4 turns, 2 without conflicts."));
}

TEST_CASE("a warp's request is drawn as high as its rows ask for, whatever a file says") {
  chart::LayoutOptions options;
  options.width = 320, options.font_px = 13;
  const WarpSteps steps = steps_of({request_of("0+4x32", 4), request_of("0+256x32", 32),
                                    request_of("-9007199254740991+3x32", 3), request_of("5", 1)});
  const float low = diagram::draw(request_diagram(steps, 0), 0, options).height;
  const float high = diagram::draw(request_diagram(steps, 1), 0, options).height;
  CHECK(low < high);
  CHECK(high < 420);
  for (size_t i = 0; i < steps.requests.size(); ++i)  // of a damaged file, too
    CHECK(diagram::draw(request_diagram(steps, i), 0, options).height > 0);
}

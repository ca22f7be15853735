#include "worker/emulated/rewrite.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ridge::emulated {
namespace {

/// A word, a string or character literal, or one other character.
struct Token {
  size_t begin = 0, end = 0;
};

struct Edit {
  size_t begin = 0, end = 0;
  std::string text;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a line marker, # 12 "file" 1 3, begins a system header's text.
bool is_system_marker(std::string_view line) {
  const size_t quote = line.rfind('"');
  return quote != line.npos && line.find(" 3", quote) != line.npos;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) { split(); }

  std::string run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = at(i);
      if (word == "__noinline__" && (i == 0 || at(i - 1) != "(")) {
        // Not a macro: the standard library's headers have it as an attribute's name.
        replace(tokens_[i].begin, tokens_[i].end, "__attribute__((noinline))");
      } else if (word == "__shared__") {
        shared(i);
      } else if ((word == "asm" || word == "__asm__") && i + 1 < tokens_.size()) {
        assembly(i);
      } else if (word == "<" && is_triple(i, "<")) {
        launch(i);
        i += 2;
      }
    }
    return edited();
  }

 private:
  std::string_view at(size_t i) const {
    if (i >= tokens_.size()) return "";
    return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  std::string text_of(size_t first, size_t end) const {
    std::string text;
    for (size_t i = first; i < end; ++i) text += (i > first ? " " : "") + std::string(at(i));
    return text;
  }

  // ---- into tokens, without lines of the preprocessor and system headers ---------------------------------------------

  void split() {
    bool is_system = false, is_line_start = true;
    for (size_t i = 0; i < text_.size();) {
      if (text_[i] == '#' && is_line_start) {
        const std::string_view line = text_.substr(i, text_.find('\n', i) - i);
        if (line.starts_with("# ")) is_system = is_system_marker(line);
        if (!is_system) unroll(line, i);
        i += line.size();
      } else if (is_system) {
        i = std::min(text_.find('\n', i), text_.size() - 1) + 1;
        is_line_start = true;
      } else if (std::isspace(static_cast<unsigned char>(text_[i])) != 0) {
        is_line_start = text_[i++] == '\n' || (is_line_start && text_[i - 1] != '\n');
      } else {
        is_line_start = false;
        const size_t end = token_end(i);
        tokens_.push_back({i, end});
        i = end;
      }
    }
  }

  size_t token_end(size_t i) const {
    size_t end = i + 1;
    if (is_word(text_[i])) {
      // A ' between digits separates them: 1'000.
      const bool is_number = std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
      while (end < text_.size() && (is_word(text_[end]) || (is_number && text_[end] == '\'')))
        ++end;
      if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R') return raw_end(end);
      return end;
    }
    if (text_[i] != '"' && text_[i] != '\'') return end;
    while (end < text_.size() && text_[end] != text_[i]) end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  size_t raw_end(size_t quote) const {
    const size_t open = text_.find('(', quote);
    if (open == text_.npos) return text_.size();
    const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t end = text_.find(close, open);
    return end == text_.npos ? text_.size() : end + close.size();
  }

  void unroll(std::string_view line, size_t begin) {
    constexpr std::string_view kUnroll = "#pragma unroll";
    if (!line.starts_with(kUnroll)) return;
    std::string_view times = line.substr(kUnroll.size());
    while (!times.empty() && times.front() == ' ') times.remove_prefix(1);
    // Whole loops, as nvcc does where it knows the count; of those that are longer neither does anything.
    const std::string count = times.empty() ? "128" : std::string(times);
    replace(begin, begin + line.size(), "#pragma GCC unroll " + count);
  }

  // ---- edits ---------------------------------------------------------------------------------------------------------

  /// What is replaced keeps its line breaks and its line markers: they follow what replaces it.
  void replace(size_t begin, size_t end, std::string text) {
    const std::string_view old = text_.substr(begin, end - begin);
    for (size_t i = old.find('\n'); i != old.npos; i = old.find('\n', i + 1)) {
      text += '\n';
      if (old.substr(i + 1).starts_with("# ")) {
        const size_t line_end = std::min(old.find('\n', i + 1), old.size());
        text += old.substr(i + 1, line_end - i - 1);
      }
    }
    edits_.push_back({begin, end, std::move(text)});
  }

  std::string edited() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string all;
    size_t done = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < done) continue;  // within what was replaced
      all += text_.substr(done, edit.begin - done);
      all += edit.text;
      done = edit.end;
    }
    all += text_.substr(done);
    return all;
  }

  /// The token behind the one that closes what opens at `i`.
  size_t behind_closed(size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const std::string_view word = at(i);
      if (word == "(" || word == "[" || word == "{") ++depth;
      if ((word == ")" || word == "]" || word == "}") && --depth == 0) return i + 1;
    }
    return i;
  }

  bool is_triple(size_t i, std::string_view character) const {
    for (size_t next = 1; next < 3; ++next) {
      if (at(i + next) != character || tokens_[i + next].begin != tokens_[i].begin + next)
        return false;
    }
    return true;
  }

  // ---- __shared__ ----------------------------------------------------------------------------------------------------

  void shared(size_t i) {
    if (i > 0 && at(i - 1) == "extern") return dynamic_shared(i);
    guard(i + 1);
    const std::string local =
        i > 0 && at(i - 1) == "static" ? "thread_local" : "static thread_local";
    // What is declared first may come to lie last, so a guard stands before it too; words before it are its own.
    const std::string_view before = i > 0 ? at(i - 1) : ";";
    if (before == ";" || before == "{" || before == "}") {
      const std::string name = "ridge_before_" + std::to_string(i);
      edits_.push_back({tokens_[i].begin, tokens_[i].begin,
                        "static thread_local char " + name +
                            "[4096] __attribute__((used, aligned(16))){}; "
                            "::ridge::emulated::shared_guard(" +
                            name + "); "});
    }
    if (at(i + 1) != "alignas") return replace(tokens_[i].begin, tokens_[i].end, local);
    // An alignment stands before the specifiers that it is written after here.
    const size_t end = behind_closed(i + 2);
    replace(tokens_[i].begin, tokens_[end - 1].end, text_of(i + 1, end) + " " + local);
  }

  /// A value for each declarator: without one, GCC has a flag for an array of vector types, which is shared memory too.
  /// Behind each an array of its type that no access may meet, which the machine knows.
  void guard(size_t i) {
    std::string told, name;
    for (int angles = 0; i < tokens_.size() && at(i) != "=" && at(i) != "{"; ++i) {
      if (at(i) == "(" || at(i) == "[") {
        i = behind_closed(i) - 1;
        continue;
      }
      if (is_word(at(i).front())) name = at(i);
      if (at(i) == "<") ++angles;
      if (at(i) == ">") --angles;
      if (angles > 0 || (at(i) != "," && at(i) != ";")) continue;
      const std::string beside = "ridge_beside_" + name;
      edits_.push_back({tokens_[i].begin, tokens_[i].begin,
                        "{}, " + beside + "[::ridge::emulated::beside<decltype(" + name +
                            ")>] __attribute__((used)){}"});
      told += " ::ridge::emulated::shared_array(\"" + name + "\", " + name + ", " + beside + ");";
      if (at(i) != ";") continue;
      edits_.push_back({tokens_[i].end, tokens_[i].end, told});
      return;
    }
  }

  void dynamic_shared(size_t i) {
    size_t end = i;
    while (end < tokens_.size() && at(end) != ";") ++end;
    size_t bracket = i;
    while (bracket < end && at(bracket) != "[") ++bracket;
    std::string type;
    for (size_t t = i + 1; t + 1 < bracket; ++t) {
      const bool is_attribute = at(t) == "__attribute__" || at(t) == "alignas";
      if (is_attribute) {
        t = behind_closed(t + 1) - 1;
      } else {
        type += (type.empty() ? "" : " ") + std::string(at(t));
      }
    }
    const std::string name(at(bracket - 1));
    replace(tokens_[i - 1].begin, tokens_[end - 1].end,
            type + " (&" + name + ")[] = *reinterpret_cast<" + type +
                " (*)[]>(::ridge::emulated::dynamic_shared())");
  }

  // ---- asm -----------------------------------------------------------------------------------------------------------

  void assembly(size_t i) {
    size_t open = i + 1;
    while (at(open) == "volatile" || at(open) == "__volatile__") ++open;
    if (at(open) != "(") return;
    const size_t end = behind_closed(open);
    std::string text, operands;
    int part = 0;
    for (size_t t = open + 1; t + 1 < end;) {
      const std::string_view word = at(t);
      if (word == ":") {
        ++part;
        ++t;
      } else if (part == 0) {
        if (word.size() > 1) text += word.substr(1, word.size() - 2);
        ++t;
      } else if (part <= 2 && word == "(") {
        const size_t close = behind_closed(t);
        operands += (operands.empty() ? "" : ", ") + text_of(t, close);
        t = close;
      } else {
        ++t;
      }
    }
    replace(tokens_[i].begin, tokens_[end - 1].end, call_of(text, operands));
  }

  std::string call_of(const std::string& text, const std::string& operands) const {
    if (text.empty()) return "__asm__ volatile(\"\" ::: \"memory\")";  // names values alone
    if (text_.find("Ptx<\"" + text + "\">") != text_.npos)
      return "::ridge::emulated::Ptx<\"" + text + "\">::run(" + operands + ")";
    const std::string shown = text.substr(0, text.find_first_of(" ;\\"));
    return "::ridge::emulated::refuse_ptx(\"" + shown + "\")";
  }

  // ---- <<< >>> -------------------------------------------------------------------------------------------------------

  void launch(size_t i) {
    size_t end = i + 3;
    for (int depth = 0; end < tokens_.size(); ++end) {
      const std::string_view word = at(end);
      if (word == "(" || word == "{" || word == "[") ++depth;
      if (word == ")" || word == "}" || word == "]") --depth;
      if (depth == 0 && word == ">" && is_triple(end, ">")) break;
    }
    const size_t callee = callee_of(i);
    if (end + 2 >= tokens_.size() || callee == i) return;
    if (is_word(at(i - 1).front()) && is_template(at(i - 1))) {
      replace(tokens_[callee].begin, tokens_[i - 1].end,
              "::ridge::emulated::deducing_launcher([](auto... ridge_arguments) { " +
                  text_of(callee, i) + "(ridge_arguments...); }");
    } else {
      edits_.push_back(
          {tokens_[callee].begin, tokens_[callee].begin, "::ridge::emulated::launcher("});
    }
    replace(tokens_[i].begin, tokens_[i + 2].end, ", ");
    replace(tokens_[end].begin, tokens_[end + 2].end, ")");
  }

  /// Whether the text has `template <...> void name(`: a launch by the name alone has to deduce the arguments.
  bool is_template(std::string_view name) const {
    for (size_t i = 2; i + 1 < tokens_.size(); ++i) {
      if (at(i) != name || at(i + 1) != "(" || at(i - 1) != "void") continue;
      size_t before = i - 2;
      while (before > 0 && (at(before) == "static" || at(before) == "inline")) --before;
      if (at(before) != ">") continue;
      for (int depth = 0; before > 0; --before) {
        if (at(before) == ">") ++depth;
        if (at(before) == "<" && --depth == 0) break;
      }
      if (before > 0 && at(before - 1) == "template") return true;
    }
    return false;
  }

  /// The first token of what is launched: names, and arguments of a template.
  size_t callee_of(size_t i) const {
    size_t first = i;
    for (;;) {
      if (at(first - 1) == ">") {
        int depth = 0;
        do {
          --first;
          if (at(first) == ">") ++depth;
          if (at(first) == "<") --depth;
        } while (depth > 0 && first > 0);
      }
      if (first == 0 || !is_word(at(first - 1).front())) return first;
      --first;
      if (first < 2 || at(first - 1) != ":" || at(first - 2) != ":") return first;
      first -= 2;
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string rewritten(std::string_view preprocessed) {
  return Rewriter(preprocessed).run();
}

}  // namespace ridge::emulated

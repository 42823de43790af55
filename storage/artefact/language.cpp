#include "storage/artefact/language.h"

#include <toml++/toml.h>

#include <stdexcept>

#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace embedded {
extern const std::string_view language_toml;
}
namespace {

const std::map<std::string, std::set<std::string>, std::less<>> no_table;
const std::set<std::string, std::less<>> no_list;

// A line that opens a table of its own: "[unit.gb]", perhaps with a comment.
bool opens_table(std::string_view line) {
  if (line.size() < 3 || line[0] != '[' || line[1] == '[') return false;
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos || line.find(',') < close) return false;
  const std::string_view rest = line.substr(close + 1);
  return rest.find_first_not_of(" \t\r") == std::string_view::npos || rest[rest.find_first_not_of(" \t\r")] == '#';
}

struct Section {
  std::string_view text;
  std::size_t first_line = 1;
};

// TOML forbids opening a table twice; concatenated files do. So every table is read as a document of its own.
std::vector<Section> sections_of(std::string_view toml) {
  std::vector<Section> sections;
  std::size_t start = 0;
  std::size_t start_line = 1;
  std::size_t line_number = 1;
  for (std::size_t at = 0; at < toml.size(); ++line_number) {
    const std::size_t end = std::min(toml.find('\n', at), toml.size());
    if (at > start && opens_table(toml.substr(at, end - at))) {
      sections.push_back({toml.substr(start, at - start), start_line});
      start = at;
      start_line = line_number;
    }
    at = end + 1;
  }
  if (start < toml.size()) sections.push_back({toml.substr(start), start_line});
  return sections;
}

// "Colour Group", "colour_group", "colourGroup" → "colour group".
std::string column_words(std::string_view column) {
  std::string spaced;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (i > 0 && is_upper(column[i]) && is_lower(column[i - 1])) spaced.push_back(' ');
    spaced.push_back(column[i]);
  }
  std::string words;
  for (const char c : fold_text(spaced)) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (word) {
      words.push_back(c);
    } else if (!words.empty() && words.back() != ' ') {
      words.push_back(' ');
    }
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

tl::unexpected<Error> bad_entry(std::size_t line, const std::string& what) {
  return fail(ErrorCode::invalid_argument, "language data, line " + std::to_string(line) + ": " + what + "; see storage/language/README.md");
}

}  // namespace

// Fills a Language from parsed sections; kept apart so that toml++ stays out of the header.
class LanguageReader {
 public:
  explicit LanguageReader(Language& language) : language_(language) {}

  Status read(const Section& section) {
    line_ = section.first_line;
    toml::table document;
    try {
      document = toml::parse(section.text);
    } catch (const toml::parse_error& error) {
      return bad_entry(line_ + error.source().begin.line - 1, std::string(error.description()));
    }
    for (const auto& [name, node] : document) {
      const toml::table* table = node.as_table();
      if (table == nullptr) return bad_entry(line_, "'" + std::string(name.str()) + "' stands outside a table");
      if (Status status = read_table(name.str(), *table); !status) return status;
    }
    return {};
  }

 private:
  Status read_table(std::string_view name, const toml::table& table) {
    if (name == "unit") return read_units(table);
    if (name == "currency")
      return read_words(
          table, [&](const std::string& key, std::string word) { language_.currencies_[std::move(word)] = key; }, true);
    if (name == "number_word") return read_number_words(table);
    if (name == "table") return read_tables(table);
    if (name == "list")
      return read_words(
          table, [&](const std::string& key, std::string word) { language_.lists_[key].insert(std::move(word)); }, false);
    if (name == "column") {
      return read_words(
          table, [&](const std::string& key, const std::string& word) { language_.columns_[column_words(word)] = key; }, true);
    }
    return bad_entry(line_, "there is no table '" + std::string(name) + "'");
  }

  // Every entry is key = [words]; calls take(key, folded word), with the key itself too when with_key.
  template <class Take>
  Status read_words(const toml::table& table, Take take, bool with_key) {
    for (const auto& [key, node] : table) {
      const toml::array* words = node.as_array();
      if (words == nullptr) return bad_entry(line_, "'" + std::string(key.str()) + "' needs a list of words");
      const std::string name(key.str());
      if (with_key) take(name, fold_text(name));
      for (const toml::node& word : *words) {
        const auto text = word.value<std::string>();
        if (!text) return bad_entry(line_, "'" + name + "' holds something that is no word");
        take(name, fold_text(*text));
      }
    }
    return {};
  }

  Status read_units(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const toml::table* entry = node.as_table();
      if (entry == nullptr) return bad_entry(line_, "a unit is a table of its own: [unit." + std::string(key.str()) + "]");
      const auto kind = (*entry)["kind"].value<std::string>();
      const auto factor = (*entry)["factor"].value<std::string>();
      const std::optional<Number> number = factor ? parse_number(*factor) : std::nullopt;
      if (!kind || !number || number->value <= 0) return bad_entry(line_, "a unit needs kind = \"…\" and factor = \"1.5\"");
      const Unit unit{std::string(key.str()), *kind, *number};
      language_.units_[unit.name] = unit;
      const toml::array* forms = (*entry)["forms"].as_array();
      if (forms == nullptr) continue;
      for (const toml::node& form : *forms) language_.units_[fold_text(form.value_or(std::string()))] = unit;
    }
    return {};
  }

  Status read_number_words(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const auto number = node.value<std::int64_t>();
      if (!number) return bad_entry(line_, "number word '" + std::string(key.str()) + "' needs a whole number");
      language_.number_words_[fold_text(key.str())] = *number;
    }
    return {};
  }

  Status read_tables(const toml::table& tables) {
    for (const auto& [key, node] : tables) {
      const toml::table* groups = node.as_table();
      if (groups == nullptr) return bad_entry(line_, "a word table is [table." + std::string(key.str()) + "]");
      const std::string name(key.str());
      auto& members = language_.member_of_[name];
      auto& table = language_.tables_[name];
      const auto take = [&](const std::string& group, std::string word) {
        members.insert_or_assign(word, fold_text(group));
        table[fold_text(group)].insert(std::move(word));
      };
      for (const auto& [group, words] : *groups) table[fold_text(group.str())];
      if (Status status = read_words(*groups, take, true); !status) return status;
    }
    return {};
  }

  Language& language_;
  std::size_t line_ = 1;
};

const Language& Language::standard() {
  static const Language language = [] {
    auto parsed = parse(embedded::language_toml);
    if (!parsed) throw std::logic_error("the compiled-in language data is broken: " + parsed.error().detail);
    return std::move(*parsed);
  }();
  return language;
}

Result<Language> Language::parse(std::string_view toml) {
  Language language;
  language.source_ = std::string(toml);
  LanguageReader reader(language);
  for (const Section& section : sections_of(language.source_)) {
    if (Status status = reader.read(section); !status) return tl::unexpected(status.error());
  }
  return language;
}

const Unit* Language::unit(std::string_view folded) const {
  const auto found = units_.find(folded);
  return found == units_.end() ? nullptr : &found->second;
}

std::optional<std::string> Language::currency(std::string_view folded) const {
  const auto found = currencies_.find(folded);
  return found == currencies_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> Language::number_word(std::string_view folded) const {
  const auto found = number_words_.find(folded);
  return found == number_words_.end() ? std::nullopt : std::optional(found->second);
}

const std::set<std::string>* Language::group(std::string_view table_name, std::string_view name) const {
  const auto& groups = table(table_name);
  const auto found = groups.find(name);
  return found == groups.end() ? nullptr : &found->second;
}

std::optional<std::string> Language::family_of(std::string_view table_name, std::string_view member) const {
  const auto members = member_of_.find(table_name);
  if (members == member_of_.end()) return std::nullopt;
  const auto found = members->second.find(member);
  return found == members->second.end() ? std::nullopt : std::optional(found->second);
}

const std::map<std::string, std::set<std::string>, std::less<>>& Language::table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? no_table : found->second;
}

const std::set<std::string, std::less<>>& Language::list(std::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? no_list : found->second;
}

std::string Language::facet_of_column(std::string_view column) const {
  std::string words = column_words(column);
  const auto found = columns_.find(words);
  if (found != columns_.end()) return found->second;
  for (char& c : words) c = c == ' ' ? '_' : c;
  return words;
}

}  // namespace turnstone

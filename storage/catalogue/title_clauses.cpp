#include "storage/catalogue/title_clauses.h"

#include <algorithm>

#include "events/number.h"
#include "storage/artefact/tokeniser.h"

namespace turnstone {

DescribingWords::DescribingWords(const Language& language)
    : language_(language),
      audiences_(language, "department"),
      colors_(language, "color"),
      materials_(language, "material"),
      sizes_(language, "size") {}

bool DescribingWords::describes(const std::string& term) const {
  return term.size() < 2 || parse_number(term) || language_.unit(term) != nullptr || language_.in_list("function", term) ||
         language_.in_list("filler", term) || audiences_.exact(term) != nullptr || colors_.exact(term) != nullptr ||
         materials_.exact(term) != nullptr || sizes_.exact(term) != nullptr;
}

bool DescribingWords::describes_only(const std::string& key) const {
  const TableMatch* color = colors_.exact(key);
  return key.size() < 2 || (color != nullptr && *color->family == key) || sizes_.exact(key) != nullptr;
}

std::string join_terms(const std::vector<std::string>& terms, std::size_t begin, std::size_t end) {
  std::string key;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) key += ' ';
    key += terms[i];
  }
  return key;
}

bool holds_figures(std::string_view key) {
  return std::any_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::vector<std::string>> title_clauses(const std::string& title, const DescribingWords& words) {
  std::vector<std::vector<std::string>> clauses(1);
  std::size_t end = 0;
  for (Token& token : tokenise(title, words.language())) {
    const std::string_view gap = std::string_view(title).substr(end, token.begin > end ? token.begin - end : 0);
    end = token.end;
    const bool cut = gap.find_first_of(",;:([{|/") != std::string_view::npos || gap.find(" - ") != std::string_view::npos ||
                     gap.find("\xE2\x80\x93") != std::string_view::npos;               // en dash
    const bool unit = !clauses.back().empty() && parse_number(clauses.back().back());  // "400 W", not "w/ pockets"
    const bool breaks = !unit && words.language().in_list("title_break", token.surface);
    if ((cut || breaks) && !clauses.back().empty()) clauses.emplace_back();
    if (!breaks) clauses.back().push_back(std::move(token.term));
  }
  return clauses;
}

std::size_t noun_end(const std::vector<std::string>& clause, const DescribingWords& words) {
  std::size_t end = clause.size();
  while (end > 0) {
    if (words.describes(clause[end - 1]))
      --end;
    else if (end > 1 && parse_number(clause[end - 2]))
      end -= 2;
    else
      break;
  }
  return end;
}

}  // namespace turnstone

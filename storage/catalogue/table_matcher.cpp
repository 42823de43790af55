#include "storage/catalogue/table_matcher.h"

#include <algorithm>

#include "storage/artefact/tokeniser.h"

namespace turnstone {

TableMatcher::TableMatcher(const Language& language, std::string_view table) {
  for (const auto& [name, members] : language.table(table)) {
    const auto family = names_.try_emplace(term_key(name, language), name).first;
    const auto add = [&](const std::string& text) {
      const std::string key = term_key(text, language);
      if (key.empty()) return;
      const auto [entry, added] = members_.try_emplace(key);
      if (!added && key != family->first) return;  // a group's own name wins over being another group's member
      entry->second = {.member = &entry->first, .family = &family->first, .family_name = &family->second};
      longest_ = std::max<std::size_t>(longest_, static_cast<std::size_t>(std::count(key.begin(), key.end(), ' ')) + 1);
    };
    add(name);
    for (const std::string& member : members) add(member);
  }
}

std::vector<TableMatch> TableMatcher::find(std::span<const std::string_view> terms) const {
  std::vector<TableMatch> found;
  std::string key;
  for (std::size_t begin = 0; begin < terms.size();) {
    std::size_t taken = 1;
    for (std::size_t size = std::min(longest_, terms.size() - begin); size > 0; --size) {
      key.clear();
      for (std::size_t i = 0; i < size; ++i) {
        if (i > 0) key += ' ';
        key += terms[begin + i];
      }
      const auto match = members_.find(key);
      if (match == members_.end()) continue;
      found.push_back(match->second);
      found.back().begin = static_cast<std::uint32_t>(begin);
      found.back().end = static_cast<std::uint32_t>(begin + size);
      taken = size;
      break;
    }
    begin += taken;
  }
  return found;
}

const TableMatch* TableMatcher::exact(std::string_view key) const {
  const auto match = members_.find(std::string(key));
  return match == members_.end() ? nullptr : &match->second;
}

}  // namespace turnstone

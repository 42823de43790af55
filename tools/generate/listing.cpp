#include "tools/generate/listing.h"

#include <algorithm>

namespace turnstone {

namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string draw_value(const TradeColumn& column, Random& random) {
  const std::string& first = random.pick<std::string>(column.values);
  if (column.form != TradeColumn::Form::several) return first;
  std::string joined = first;
  for (int more = 0; more < 2 && random.chance(400); ++more) {
    const std::string& other = random.pick<std::string>(column.values);
    if (joined.find(other) == std::string::npos) joined += ", " + other;
  }
  return joined;
}

std::uint32_t draw_cents(const Kind& kind, std::uint32_t brand_number, Random& random) {
  const auto tier = static_cast<std::uint32_t>(70 + mix64(brand_number) % 120);  // a dear brand is dear everywhere
  const std::uint32_t base = kind.cents_low + random.skewed_below(kind.cents_high - kind.cents_low);
  const std::uint32_t cents = std::max<std::uint32_t>(300, base / 100 * tier);
  constexpr std::uint32_t ends[] = {99, 99, 99, 95, 0, 50};
  return cents / 100 * 100 + random.pick<std::uint32_t>(ends);
}

std::string possessive(const std::string& department) {
  if (department == "Unisex" || department.empty()) return department;
  return department + (department.back() == 's' ? "'" : "'s");
}

}  // namespace

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), upper);
  return text;
}

std::string title_case(const std::string& text) {
  std::string out = text;
  bool begins = true;
  for (char& c : out) {
    if (begins) c = upper(c);
    begins = !is_letter(c) && c != '\'' && !(c >= '0' && c <= '9');
  }
  return out;
}

const std::string* Listing::value_of(std::string_view column) const {
  for (const Fact& fact : facts) {
    if (fact.column->name == column) return &fact.value;
  }
  return nullptr;
}

Listing draw_listing(const Trade& trade, Random random) {
  Listing listing;
  listing.kind = &random.pick<Kind>(trade.kinds);
  listing.brand_number = random.skewed_below(static_cast<std::uint32_t>(trade.brands.size()));
  listing.brand = trade.brands[listing.brand_number];
  if (!trade.departments.empty()) listing.department = random.pick<std::string>(trade.departments);
  // Sellers differ in how much they fill in.
  const std::uint32_t care = random.between(400, 1250);
  for (const TradeColumn& column : listing.kind->columns) {
    if (random.chance(column.fill * care / 1000)) listing.facts.push_back({&column, draw_value(column, random)});
  }
  listing.cents = draw_cents(*listing.kind, listing.brand_number, random);
  return listing;
}

void vary_listing(Listing& listing, Random& random) {
  for (Fact& fact : listing.facts) {
    const std::string& name = fact.column->name;
    if (name == "Color" || name == "Size" || name == "Shoe size" || name == "Storage" || name == "Capacity") fact.value = draw_value(*fact.column, random);
  }
}

std::string write_sentence(const std::string& sentence, const Listing& listing) {
  std::string out;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t open = std::min(sentence.find('{', at), sentence.size());
    out.append(sentence, at, open - at);
    if (open == sentence.size()) break;
    const std::size_t close = sentence.find('}', open);
    const std::string slot = sentence.substr(open + 1, close - open - 1);
    if (slot == "kind") {
      out += listing.kind->name;
    } else if (slot == "brand") {
      out += listing.brand;
    } else if (slot == "department") {
      if (listing.department.empty()) return {};
      out += listing.department;
    } else {
      const std::string* value = listing.value_of(slot);
      if (value == nullptr || *value == "none" || *value == "true" || *value == "false") return {};
      out += *value;
    }
    at = close + 1;
  }
  if (!out.empty()) out.front() = upper(out.front());
  return out;
}

std::string write_title(const Listing& listing, const Trade& trade, Random random) {
  const std::string kind = title_case(listing.kind->name);
  const std::string& adjective = random.pick<std::string>(trade.adjectives);
  std::string extras;
  std::uint32_t wanted = random.between(0, 3);
  for (const Fact& fact : listing.facts) {
    if (wanted == 0) break;
    if (fact.column->form != TradeColumn::Form::text || fact.value == "none" || random.chance(350)) continue;
    extras += (extras.empty() ? "" : ", ") + title_case(fact.value);
    --wanted;
  }
  const std::string* color = listing.value_of("Color");
  const std::string audience = possessive(listing.department);
  std::string title;
  switch ((mix64(listing.brand_number) >> 20) % 4) {
    case 0: title = listing.brand + " " + audience + (audience.empty() ? "" : " ") + adjective + " " + kind + (extras.empty() ? "" : " with " + extras); break;
    case 1: title = adjective + " " + kind + (listing.department.empty() ? "" : " for " + listing.department) + " - " + listing.brand + (extras.empty() ? "" : " - " + extras); break;
    case 2: title = listing.brand + " " + kind + ", " + (extras.empty() ? adjective : extras); break;
    default: title = listing.brand + " " + adjective + " " + kind; break;
  }
  if (color != nullptr && random.chance(550)) title += (random.chance(500) ? ", " : " (") + title_case(*color);
  if (title.find('(') != std::string::npos) title += ')';
  return title;
}

}  // namespace turnstone

#include "storage/catalogue/artefact_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "events/chain.h"
#include "storage/artefact/format.h"

namespace turnstone {
namespace {

using format::Section;

constexpr std::uint64_t text_bytes_max = 0xFFFFFFFF;
constexpr std::uint32_t popularity_per_bit = 2048;  // log2 of 2^32 counts fills 16 bits

// Every string once, by open addressing over places in the bytes: a million listings have some twenty million parts.
class TextPool {
 public:
  format::Text add(std::string_view text) {
    if (text.empty()) return {};
    if ((count_ + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = format::hash_key(text);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].text.size != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && text_of(slots_[at].text) == text) return slots_[at].text;
    }
    if (bytes_.size() + text.size() > text_bytes_max) {
      overflown_ = true;
      return {};
    }
    slots_[at] = {hash, {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())}};
    ++count_;
    bytes_.append(text);
    return slots_[at].text;
  }
  bool overflown() const { return overflown_; }
  const std::string& bytes() const { return bytes_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    format::Text text;  // no bytes: free
  };
  std::string_view text_of(const format::Text& text) const { return std::string_view(bytes_).substr(text.offset, text.size); }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1'024, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.text.size == 0) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].text.size != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::string bytes_;
  bool overflown_ = false;
};

template <class T>
std::string_view bytes_of(const std::vector<T>& records) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)};
}

// A record whose padding is zero, whatever the compiler leaves there.
Posting clean(const Posting& posting) {
  Posting copy;
  std::memset(static_cast<void*>(&copy), 0, sizeof copy);
  copy.product = posting.product;
  copy.impact = posting.impact;
  copy.fields = posting.fields;
  return copy;
}

Artefact::NumberRow clean(const Artefact::NumberRow& row) {
  Artefact::NumberRow copy;
  std::memset(static_cast<void*>(&copy), 0, sizeof copy);
  copy.number = row.number;
  copy.product = row.product;
  return copy;
}

std::uint32_t popularity_of(std::optional<std::uint32_t> rating_count) {
  const double bits = std::log2(1.0 + rating_count.value_or(0));
  return std::min<std::uint32_t>(65535, static_cast<std::uint32_t>(bits * popularity_per_bit));
}

template <class HashOf>
std::vector<std::uint32_t> table_of(std::size_t count, HashOf hash_of) {
  std::vector<std::uint32_t> table(format::table_size(count), format::empty_slot);
  const std::uint64_t mask = table.size() - 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t slot = hash_of(i) & mask;
    while (table[slot] != format::empty_slot) slot = (slot + 1) & mask;
    table[slot] = i;
  }
  return table;
}

class Encoder {
 public:
  explicit Encoder(const ArtefactContent& content) : content_(content), corpus_(content.corpus) {}

  Result<std::string> encode() {
    add_facets();
    add_products();
    add_terms();
    add_vocabulary();
    meta_.push_back({corpus_.size(), longest_phrase_, corpus_.forward().size()});
    if (text_.overflown() || corpus_.forward().size() > 0xFFFFFFFEu || content_.postings.postings.size() > 0xFFFFFFFEu) {
      return fail(ErrorCode::limit_exceeded, "the catalogue holds more than 4 GiB of different text or 4 billion words: split it");
    }
    return assemble();
  }

 private:
  void add_facets() {
    for (const auto& [name, draft] : content_.facets) {
      format::Facet facet{.name = text_.add(draft.name),
                          .label = text_.add(draft.label),
                          .reason = text_.add(draft.reason),
                          .unit = text_.add(draft.unit),
                          .kind = static_cast<std::uint8_t>(draft.kind),
                          .verdict = static_cast<std::uint8_t>(draft.verdict)};
      facet.filled = draft.filled;
      facet.first_value = static_cast<std::uint32_t>(values_.size());
      facet.value_count = static_cast<std::uint32_t>(draft.values.size());
      facet.entropy = draft.entropy;
      facet.first_number = static_cast<std::uint32_t>(numbers_.size());
      facet.number_count = static_cast<std::uint32_t>(draft.numbers.size());
      add_numbers(draft.numbers);
      for (const ValueDraft& value : draft.values) add_value(value, name == "category");
      facets_.push_back(facet);
    }
    format::Value closing_value;
    closing_value.first_product = static_cast<std::uint32_t>(value_products_.size());
    closing_value.first_price = static_cast<std::uint32_t>(prices_.size());
    values_.push_back(closing_value);
  }

  void add_numbers(const std::vector<Artefact::NumberRow>& rows) {
    std::vector<Artefact::NumberRow> sorted(rows);
    for (const auto& row : rows) numbers_by_product_.push_back(clean(row));
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.number != b.number ? a.number < b.number : a.product < b.product; });
    for (const auto& row : sorted) numbers_.push_back(clean(row));
  }

  void add_value(const ValueDraft& draft, bool with_prices) {
    value_texts_.push_back(draft.text());
    format::Value value{.key = text_.add(draft.key), .text = {}};
    value.facet = static_cast<std::uint32_t>(facets_.size());
    value.count = static_cast<std::uint32_t>(draft.products.size());
    value.first_product = static_cast<std::uint32_t>(value_products_.size());
    value.first_price = static_cast<std::uint32_t>(prices_.size());
    std::vector<std::int64_t> prices;
    for (const std::uint32_t product : draft.products) {
      value_products_.push_back(product);
      if (with_prices && corpus_.row(product).price) prices.push_back(corpus_.row(product).price->value);
    }
    if (prices.size() >= price_quantile_count_min) {
      std::sort(prices.begin(), prices.end());
      prices_.insert(prices_.end(), prices.begin(), prices.end());
      value.price_count = static_cast<std::uint32_t>(prices.size());
    }
    keys_.push_back(draft.key);
    values_.push_back(value);
  }

  void add_products() {
    // value_texts_ no longer grows: views into it are stable from here on.
    for (std::size_t v = 0; v < value_texts_.size(); ++v) values_[v].text = text_.add(value_texts_[v]);
    std::vector<std::vector<std::uint32_t>> values_of(corpus_.size());
    for (std::uint32_t v = 0; v + 1 < values_.size(); ++v) {
      for (std::uint32_t i = values_[v].first_product; i < values_[v + 1].first_product; ++i) values_of[value_products_[i]].push_back(v);
    }
    for (std::uint32_t p = 0; p < corpus_.size(); ++p) {
      const ProductRow& row = corpus_.row(p);
      format::Product product = closing();
      product.id = text_.add(row.id);
      product.title = text_.add(row.title);
      product.store = text_.add(row.store);
      if (row.price) product.price = row.price->value;
      if (row.average_rating) product.rating = row.average_rating->value;
      if (row.rating_number) product.rating_count = *row.rating_number;
      product.popularity = popularity_of(row.rating_number);
      products_.push_back(product);
      for (const CorpusPart& part : corpus_.parts(p)) {
        parts_.push_back({text_.add(part.key), text_.add(part.text), part.first_term, part.position, static_cast<std::uint8_t>(part.field), 0});
      }
      product_values_.insert(product_values_.end(), values_of[p].begin(), values_of[p].end());
    }
    products_.push_back(closing());
    parts_.push_back({{}, {}, static_cast<std::uint32_t>(corpus_.forward().size()), 0, 0, 0});
  }

  format::Product closing() const {
    format::Product product{};
    product.first_part = static_cast<std::uint32_t>(parts_.size());
    product.first_term =
        parts_.size() < corpus_.parts().size() ? corpus_.parts()[parts_.size()].first_term : static_cast<std::uint32_t>(corpus_.forward().size());
    product.first_value = static_cast<std::uint32_t>(product_values_.size());
    return product;
  }

  void add_terms() {
    const Postings& postings = content_.postings;
    const auto& texts = corpus_.term_texts();
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const bool function_word =
          corpus_.language().in_list("function", texts[t]) || corpus_.language().in_list("function", corpus_.term_surfaces()[t]);
      terms_.push_back({text_.add(texts[t]), text_.add(corpus_.term_surfaces()[t]), postings.first[t + 1] - postings.first[t], postings.idf[t],
                        postings.first[t], postings.impact_max[t], static_cast<std::uint16_t>(function_word ? 1 : 0)});
    }
    terms_.push_back({{}, {}, 0, 0, static_cast<std::uint32_t>(postings.postings.size()), 0, 0});
    term_table_ = table_of(texts.size(), [&](std::uint32_t i) { return format::hash_key(texts[i]); });
    value_table_ = table_of(keys_.size(), [&](std::uint32_t i) { return format::hash_key(keys_[i], values_[i].facet); });
    postings_.reserve(postings.postings.size());
    for (const Posting& posting : postings.postings) postings_.push_back(clean(posting));
  }

  void add_vocabulary() {
    for (const PhraseDraft& draft : content_.vocabulary) {
      phrases_.push_back({text_.add(draft.key), static_cast<std::uint32_t>(senses_.size()), static_cast<std::uint32_t>(draft.senses.size())});
      senses_.insert(senses_.end(), draft.senses.begin(), draft.senses.end());
      longest_phrase_ = std::max<std::uint32_t>(longest_phrase_, static_cast<std::uint32_t>(std::count(draft.key.begin(), draft.key.end(), ' ')) + 1);
    }
    phrase_table_ = table_of(phrases_.size(), [&](std::uint32_t i) { return format::hash_key(content_.vocabulary[i].key); });
  }

  std::string assemble() const {
    const std::vector<std::uint32_t> forward(corpus_.forward().begin(), corpus_.forward().end());
    std::array<std::string_view, format::section_count> sections;
    const auto put = [&sections](Section section, std::string_view bytes) { sections[static_cast<std::size_t>(section)] = bytes; };
    put(Section::language, corpus_.language().source());
    put(Section::audit, content_.audit_json);
    put(Section::text, text_.bytes());
    put(Section::meta, bytes_of(meta_));
    put(Section::products, bytes_of(products_));
    put(Section::parts, bytes_of(parts_));
    put(Section::forward, bytes_of(forward));
    put(Section::terms, bytes_of(terms_));
    put(Section::term_table, bytes_of(term_table_));
    put(Section::postings, bytes_of(postings_));
    put(Section::facets, bytes_of(facets_));
    put(Section::values, bytes_of(values_));
    put(Section::value_table, bytes_of(value_table_));
    put(Section::value_products, bytes_of(value_products_));
    put(Section::product_values, bytes_of(product_values_));
    put(Section::phrases, bytes_of(phrases_));
    put(Section::phrase_table, bytes_of(phrase_table_));
    put(Section::senses, bytes_of(senses_));
    put(Section::numbers, bytes_of(numbers_));
    put(Section::numbers_by_product, bytes_of(numbers_by_product_));
    put(Section::prices, bytes_of(prices_));

    format::Header header;
    std::array<format::SectionEntry, format::section_count> table;
    std::uint64_t end = sizeof header + sizeof table;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      table[i] = {(end + 7) / 8 * 8, sections[i].size(), blake2b(sections[i])};
      end = table[i].offset + table[i].size;
    }
    header.file_size = end;
    std::string covered(reinterpret_cast<const char*>(&header), offsetof(format::Header, fingerprint));
    covered.append(reinterpret_cast<const char*>(table.data()), sizeof table);
    header.fingerprint = blake2b(covered);

    std::string file;
    file.reserve(end);
    file.append(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(reinterpret_cast<const char*>(table.data()), sizeof table);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      file.resize(table[i].offset, '\0');
      file.append(sections[i]);
    }
    return file;
  }

  const ArtefactContent& content_;
  const Corpus& corpus_;
  TextPool text_;
  std::uint32_t longest_phrase_ = 0;
  std::vector<std::string> value_texts_;
  std::vector<std::string_view> keys_;
  std::vector<format::Meta> meta_;
  std::vector<format::Product> products_;
  std::vector<format::Part> parts_;
  std::vector<format::Term> terms_;
  std::vector<std::uint32_t> term_table_;
  std::vector<Posting> postings_;
  std::vector<format::Facet> facets_;
  std::vector<format::Value> values_;
  std::vector<std::uint32_t> value_table_;
  std::vector<std::uint32_t> value_products_;
  std::vector<std::uint32_t> product_values_;
  std::vector<format::Phrase> phrases_;
  std::vector<std::uint32_t> phrase_table_;
  std::vector<Sense> senses_;
  std::vector<Artefact::NumberRow> numbers_;
  std::vector<Artefact::NumberRow> numbers_by_product_;
  std::vector<std::int64_t> prices_;
};

}  // namespace

Result<std::string> encode_artefact(const ArtefactContent& content) { return Encoder(content).encode(); }

}  // namespace turnstone

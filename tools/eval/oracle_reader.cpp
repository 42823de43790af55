#include "tools/eval/oracle_reader.h"

#include <algorithm>

#include "events/ascii.h"
#include "storage/artefact/tokeniser.h"
#include "tools/eval/wording/values.h"

namespace turnstone {

namespace {

constexpr Permille certain{950};
constexpr Permille in_its_words{850};

class MeaningReader {
 public:
  MeaningReader(const std::string& text, const Artefact& artefact) : text_(text), artefact_(artefact) {}

  void act(Act act) {
    Signal signal = blank();
    signal.kind = SignalKind::act;
    signal.act = act;
    add(std::move(signal));
  }

  void fact(const std::string& fact) {
    const FactParts parts = parts_of_fact(fact);
    if (parts.amount) {
      price(parts.value);
      return;
    }
    const bool column = !parts.label.empty() && labelled(parts);
    const bool value = !column && known_value(parts.value, fact);
    if ((column || value) && split_words(parts.value).size() == 1 && parts.label.empty()) return;  // the value is all there is
    feature(fact);
  }

  // "Women Jackets": the longest ending that is a product here; of what stands before it, whatever has a meaning.
  void category(const std::string& category) {
    const Facet* facet = artefact_.facet("category");
    std::vector<std::string> words = split_words(category);
    for (std::size_t begin = 0; facet != nullptr && begin < words.size(); ++begin) {
      const std::string ending = join_words({words.begin() + static_cast<std::ptrdiff_t>(begin), words.end()});
      const auto value = artefact_.find_value(facet->id, key(ending));
      if (!value) continue;
      wish(*facet, *value, ending);
      words.resize(begin);
      break;
    }
    for (std::size_t begin = 0; begin < words.size();) {
      std::size_t end = words.size();
      while (
          end > begin &&
          !known_value(join_words({words.begin() + static_cast<std::ptrdiff_t>(begin), words.begin() + static_cast<std::ptrdiff_t>(end)}), category))
        --end;
      begin = std::max(end, begin + 1);
    }
  }

  Reading take() { return std::move(reading_); }

 private:
  std::string key(std::string_view words) const { return term_key(words, artefact_.language()); }

  Signal blank() const {
    Signal signal;
    signal.span = {0, static_cast<std::uint32_t>(text_.size())};
    signal.confidence = certain;
    signal.said = text_;
    return signal;
  }
  void add(Signal signal) { reading_.signals.push_back(std::move(signal)); }

  void wish(const Facet& facet, ValueId value, const std::string& said) {
    Signal signal = blank();
    signal.facet = facet.name;
    signal.value.any_of = {std::string(artefact_.value(value).text)};
    signal.said = said;
    signal.adds = true;  // facts of one listing stand beside each other
    add(std::move(signal));
  }

  void price(const std::string& amount) {
    Signal signal = blank();
    signal.facet = "price";
    signal.op = Operator::about;
    signal.value.number = parse_number(amount);
    signal.unit = "$";
    if (signal.value.number) add(std::move(signal));
  }

  void feature(const std::string& fact) {
    Signal signal = blank();
    signal.facet = "feature";
    signal.value.any_of = {fact};
    signal.said = fact;
    signal.strength = Strength::soft;
    signal.confidence = in_its_words;
    add(std::move(signal));
  }

  const Facet* column_named(const std::string& label) const {
    for (const Facet& facet : artefact_.facets()) {
      std::string name(facet.name);
      std::replace(name.begin(), name.end(), '_', ' ');
      if (key(facet.label) == key(label) || key(name) == key(label)) return &facet;
    }
    return nullptr;
  }

  bool labelled(const FactParts& parts) {
    const Facet* facet = column_named(parts.label);
    if (facet == nullptr || facet->verdict < Verdict::filter) return false;
    if (facet->kind == FacetKind::number) {
      Signal signal = blank();
      signal.facet = facet->name;
      signal.value.number = parse_number(parts.value);
      signal.unit = facet->unit;
      if (!signal.value.number) return false;
      add(std::move(signal));
      return true;
    }
    std::string value = ascii_lower(parts.value);
    if (facet->kind == FacetKind::yes_no && (value == "true" || value == "false")) value = value == "true" ? "yes" : "no";
    const auto known = artefact_.find_value(facet->id, key(value));
    if (known) wish(*facet, *known, parts.value);
    return known.has_value();
  }

  // A value of some column other than the product's own name.
  bool known_value(const std::string& words, const std::string& said) {
    for (const Sense& sense : artefact_.senses(key(words))) {
      const Facet& facet = artefact_.facet(sense.facet);
      if (facet.name == "category" || facet.verdict < Verdict::filter) continue;
      wish(facet, sense.value, said);
      return true;
    }
    return false;
  }

  const std::string& text_;
  const Artefact& artefact_;
  Reading reading_;
};

}  // namespace

Reading read_meaning(const Meaning& meaning, const std::string& text, const Artefact& artefact) {
  MeaningReader reader(text, artefact);
  switch (meaning.act) {
    case SpeechAct::wants:
    case SpeechAct::wants_at_first:
      reader.act(Act::buying);
      break;
    case SpeechAct::explores:
      reader.act(Act::browsing);
      break;
    case SpeechAct::nothing_more:
      reader.act(Act::decline);
      break;
    case SpeechAct::leaves_open:
      reader.act(Act::up_to_you);
      break;
    case SpeechAct::not_right_yet:
      reader.act(Act::dislike_shown);
      break;
    case SpeechAct::changes_her_mind:
      reader.act(Act::revoke_all);
      break;
    case SpeechAct::tells:
      break;
  }
  if (!meaning.category.empty()) reader.category(meaning.category);
  for (const std::string& fact : meaning.facts) reader.fact(fact);
  return reader.take();
}

}  // namespace turnstone

#include "workers/cue_book.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <utility>

#include "storage/artefact/language.h"
#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace {

constexpr std::array<std::pair<std::string_view, CueKind>, 62> kind_names{{
    {"negate", CueKind::negate},
    {"except", CueKind::except},
    {"harmless", CueKind::harmless},
    {"compound", CueKind::compound},
    {"half_negate", CueKind::half_negate},
    {"contrast", CueKind::contrast},
    {"either_or", CueKind::either_or},
    {"and_also", CueKind::and_also},
    {"waive", CueKind::waive},
    {"waive_any", CueKind::waive_any},
    {"waive_noun", CueKind::waive_noun},
    {"waive_about", CueKind::waive_about},
    {"decline", CueKind::decline},
    {"dont_know", CueKind::dont_know},
    {"up_to_you", CueKind::up_to_you},
    {"correct", CueKind::correct},
    {"drop", CueKind::drop},
    {"start_over", CueKind::start_over},
    {"undo", CueKind::undo},
    {"back_to", CueKind::back_to},
    {"instead", CueKind::instead},
    {"additional", CueKind::additional},
    {"more", CueKind::more},
    {"at_most", CueKind::at_most},
    {"at_least", CueKind::at_least},
    {"about", CueKind::about},
    {"or_less", CueKind::or_less},
    {"or_more", CueKind::or_more},
    {"between", CueKind::between},
    {"range_to", CueKind::range_to},
    {"must", CueKind::must},
    {"soft", CueKind::soft},
    {"want", CueKind::want},
    {"accept", CueKind::accept},
    {"worthless", CueKind::worthless},
    {"story", CueKind::story},
    {"budget", CueKind::budget},
    {"size", CueKind::size},
    {"stars", CueKind::stars},
    {"reviews", CueKind::reviews},
    {"well_rated", CueKind::well_rated},
    {"buying", CueKind::buying},
    {"browsing", CueKind::browsing},
    {"greeting", CueKind::greeting},
    {"thanks", CueKind::thanks},
    {"goodbye", CueKind::goodbye},
    {"acknowledge", CueKind::acknowledge},
    {"chat", CueKind::chat},
    {"yes", CueKind::yes},
    {"no", CueKind::no},
    {"both", CueKind::both},
    {"first_option", CueKind::first_option},
    {"dislike_shown", CueKind::dislike_shown},
    {"alike", CueKind::alike},
    {"same_as", CueKind::same_as},
    {"keep_same", CueKind::keep_same},
    {"ask_price", CueKind::ask_price},
    {"ask_maker", CueKind::ask_maker},
    {"ask", CueKind::ask},
    {"for_whom", CueKind::for_whom},
    {"for_self", CueKind::for_self},
    {"old", CueKind::old},
}};

constexpr std::array<std::pair<std::string_view, SpeechPart>, 86> part_names{{
    {"revoking", SpeechPart::revoking},
    {"returning", SpeechPart::returning},
    {"possessing", SpeechPart::possessing},
    {"as_it_was", SpeechPart::as_it_was},
    {"initial", SpeechPart::initial},
    {"sound", SpeechPart::sound},
    {"degree", SpeechPart::degree},
    {"weight", SpeechPart::weight},
    {"verdict_no", SpeechPart::verdict_no},
    {"swapping", SpeechPart::swapping},
    {"swapped_for", SpeechPart::swapped_for},
    {"asked_back", SpeechPart::asked_back},
    {"excess", SpeechPart::excess},
    {"caring", SpeechPart::caring},
    {"emphatic", SpeechPart::emphatic},
    {"amounting", SpeechPart::amounting},
    {"than", SpeechPart::than},
    {"revoking_open", SpeechPart::revoking_open},
    {"revoking_close", SpeechPart::revoking_close},
    {"saying", SpeechPart::saying},
    {"said_noun", SpeechPart::said_noun},
    {"earlier", SpeechPart::earlier},
    {"latest", SpeechPart::latest},
    {"total", SpeechPart::total},
    {"none", SpeechPart::none},
    {"holding", SpeechPart::holding},
    {"holding_no", SpeechPart::holding_no},
    {"any_longer", SpeechPart::any_longer},
    {"off", SpeechPart::off},
    {"off_then", SpeechPart::off_then},
    {"view", SpeechPart::view},
    {"turn_of_mind", SpeechPart::turn_of_mind},
    {"names_value", SpeechPart::names_value},
    {"names_facet", SpeechPart::names_facet},
    {"talk", SpeechPart::talk},
    {"speaker", SpeechPart::speaker},
    {"pronoun", SpeechPart::pronoun},
    {"determiner", SpeechPart::determiner},
    {"own", SpeechPart::own},
    {"owner", SpeechPart::owner},
    {"relative_word", SpeechPart::relative_word},
    {"denial", SpeechPart::denial},
    {"refusal", SpeechPart::refusal},
    {"whole", SpeechPart::whole},
    {"open_answer", SpeechPart::open_answer},
    {"empty_answer", SpeechPart::empty_answer},
    {"mismatch_answer", SpeechPart::mismatch_answer},
    {"renewal", SpeechPart::renewal},
    {"topic", SpeechPart::topic},
    {"narrowing", SpeechPart::narrowing},
    {"upon", SpeechPart::upon},
    {"goes_on", SpeechPart::goes_on},
    {"addressed", SpeechPart::addressed},
    {"mere_revoking", SpeechPart::mere_revoking},
    {"somebody", SpeechPart::somebody},
    {"asker", SpeechPart::asker},
    {"wanting", SpeechPart::wanting},
    {"statement", SpeechPart::statement},
    {"belonging", SpeechPart::belonging},
    {"rising", SpeechPart::rising},
    {"falling", SpeechPart::falling},
    {"adjective", SpeechPart::adjective},
    {"plain_name", SpeechPart::plain_name},
    {"of_time", SpeechPart::of_time},
    {"likewise", SpeechPart::likewise},
    {"little", SpeechPart::little},
    {"plenty", SpeechPart::plenty},
    {"rated", SpeechPart::rated},
    {"topmost", SpeechPart::topmost},
    {"undermost", SpeechPart::undermost},
    {"in_hand", SpeechPart::in_hand},
    {"beyond", SpeechPart::beyond},
    {"older", SpeechPart::older},
    {"newer", SpeechPart::newer},
    {"amount_of", SpeechPart::amount_of},
    {"joining", SpeechPart::joining},
    {"range_end", SpeechPart::range_end},
    {"alternative", SpeechPart::alternative},
    {"turning", SpeechPart::turning},
    {"having", SpeechPart::having},
    {"before_size", SpeechPart::before_size},
    {"thing", SpeechPart::thing},
    {"which_one", SpeechPart::which_one},
    {"shown_ones", SpeechPart::shown_ones},
    {"out_of", SpeechPart::out_of},
    {"for_somebody", SpeechPart::for_somebody},
}};

constexpr std::array<std::string_view, 8> table_names{"cue", "speech", "relative", "measure", "dimension", "place", "small", "variants"};

const std::vector<std::string> no_words;

// "don't" is tokenised "dont"; people also write the words out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 34> contractions{{
    {"dont", "do not"},         {"doesnt", "does not"}, {"didnt", "did not"}, {"isnt", "is not"},       {"arent", "are not"},
    {"wasnt", "was not"},       {"wont", "will not"},   {"cant", "can not"},  {"couldnt", "could not"}, {"wouldnt", "would not"},
    {"shouldnt", "should not"}, {"havent", "have not"}, {"im", "i am"},       {"id", "i would"},        {"ill", "i will"},
    {"ive", "i have"},          {"its", "it is"},       {"thats", "that is"}, {"whats", "what is"},     {"whos", "who is"},
    {"lets", "let us"},         {"theyre", "they are"}, {"youre", "you are"}, {"theres", "there is"},   {"hes", "he is"},
    {"shes", "she is"},         {"were", "we are"},     {"wed", "we would"},  {"wanna", "want to"},     {"gonna", "going to"},
    {"hasnt", "has not"},       {"mustnt", "must not"}, {"neednt", "need not"}, {"werent", "were not"},
}};

std::vector<std::string> terms_of(std::string_view phrase) {
  std::vector<std::string> terms;
  for (Token& token : tokenise(phrase, Language::standard())) terms.push_back(std::move(token.term));
  return terms;
}

// The phrase, and the phrase with its contractions written out.
std::vector<std::vector<std::string>> forms_of(std::string_view phrase) {
  std::vector<std::vector<std::string>> forms{terms_of(phrase)};
  std::vector<std::string> expanded;
  for (const std::string& term : forms[0]) {
    const auto found = std::find_if(contractions.begin(), contractions.end(), [&](const auto& entry) { return singular(entry.first) == term; });
    if (found == contractions.end()) {
      expanded.push_back(term);
    } else {
      for (std::string& word : terms_of(found->second)) expanded.push_back(std::move(word));
    }
  }
  if (expanded != forms[0]) forms.push_back(std::move(expanded));
  return forms;
}

tl::unexpected<Error> bad(const std::string& what) { return fail(ErrorCode::invalid_argument, "policy bundle, cue phrases: " + what); }

std::vector<std::string> words_of(const toml::node_view<const toml::node>& node) {
  std::vector<std::string> words;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& word : *list) words.push_back(word.value_or(std::string()));
  }
  return words;
}

}  // namespace

class CueReader {
 public:
  explicit CueReader(CueBook& book) : book_(book) {}

  Status read(const toml::table& bundle) {
    for (const auto& [name, node] : bundle) {
      const bool known = std::find(table_names.begin(), table_names.end(), name.str()) != table_names.end();
      if (!known || !node.is_table()) return bad("there is no table '" + std::string(name.str()) + "'; remove it or correct its name");
    }
    if (Status status = read_cues(bundle["cue"].as_table()); !status) return status;
    if (Status status = read_speech(bundle["speech"].as_table()); !status) return status;
    if (Status status = read_relatives(bundle["relative"].as_table()); !status) return status;
    if (const toml::table* measures = bundle["measure"].as_table()) {
      for (const auto& [kind, node] : *measures) book_.measures_[std::string(kind.str())] = words_of(toml::node_view<const toml::node>(node));
    }
    if (const toml::table* dimensions = bundle["dimension"].as_table()) {
      for (const auto& [facet, node] : *dimensions) {
        for (const std::string& word : words_of(toml::node_view<const toml::node>(node))) {
          for (const std::string& term : terms_of(word)) {
            book_.dimensions_[term] = std::string(facet.str());
            book_.words_.insert(term);
          }
        }
      }
    }
    read_places(bundle["place"].as_table());
    if (Status status = expect_keys(bundle["small"].as_table(), "small", {"accented"}); !status) return status;
    for (std::string& word : words_of(bundle["small"]["accented"])) book_.accented_small_.insert(std::move(word));
    return {};
  }

 private:
  static Status expect_keys(const toml::table* table, const std::string& name, std::initializer_list<std::string_view> keys) {
    if (table == nullptr) return {};
    for (const auto& [key, node] : *table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) return bad("[" + name + "] has no key '" + std::string(key.str()) + "'");
    }
    return {};
  }

  void read_places(const toml::table* places) {
    if (places == nullptr) return;
    for (const auto& [key, node] : *places) {
      if (const auto place = node.value<std::int64_t>()) {
        book_.ordinals_[singular(key.str())] = static_cast<int>(*place);
        book_.words_.insert(singular(key.str()));
      }
    }
    for (const std::string& noun : words_of((*places)["nouns"])) {
      book_.place_nouns_.insert(singular(noun));
      book_.words_.insert(singular(noun));
    }
  }

  Status read_cues(const toml::table* cues) {
    if (cues == nullptr) return bad("the table [cue] is missing");
    for (const auto& [name, node] : *cues) {
      const auto kind = std::find_if(kind_names.begin(), kind_names.end(), [&key = name](const auto& entry) { return entry.first == key.str(); });
      if (kind == kind_names.end()) return bad("there is no kind '" + std::string(name.str()) + "'");
      for (const std::string& phrase : words_of(toml::node_view<const toml::node>(node))) {
        for (const auto& terms : forms_of(phrase)) {
          if (terms.empty()) return bad("'" + std::string(name.str()) + "' holds a phrase without words");
          book_.nodes_[node_for(terms)].kinds |= std::uint64_t{1} << static_cast<unsigned>(kind->second);
        }
      }
    }
    return {};
  }

  Status read_speech(const toml::table* speech) {
    if (speech == nullptr) return {};
    for (const auto& [name, node] : *speech) {
      const auto part = std::find_if(part_names.begin(), part_names.end(), [&key = name](const auto& entry) { return entry.first == key.str(); });
      if (part == part_names.end()) return bad("[speech] has no part '" + std::string(name.str()) + "'");
      for (const std::string& phrase : words_of(toml::node_view<const toml::node>(node))) {
        for (const auto& terms : forms_of(phrase)) {
          if (terms.empty()) return bad("[speech] '" + std::string(name.str()) + "' holds a phrase without words");
          book_.nodes_[node_for(terms)].parts.set(static_cast<std::size_t>(part->second));
        }
      }
    }
    return {};
  }

  Status read_relatives(const toml::table* relatives) {
    if (relatives == nullptr) return {};
    for (const auto& [name, node] : *relatives) {
      const toml::table* table = node.as_table();
      if (table == nullptr) return bad("a relative wish is a table: [relative." + std::string(name.str()) + "]");
      if (Status status = expect_keys(table, "relative." + std::string(name.str()), {"up", "facets", "without", "phrases", "utmost"}); !status) return status;
      const auto view = [&](std::string_view key) { return words_of((*table)[key]); };
      const auto index = static_cast<std::uint32_t>(book_.relatives_.size());
      book_.relatives_.push_back({std::string(name.str()), (*table)["up"].value_or(true), view("facets"), view("without")});
      for (const std::string& phrase : view("phrases")) {
        for (const auto& terms : forms_of(phrase)) {
          if (!terms.empty()) book_.nodes_[node_for(terms)].relative = index;
        }
      }
      for (const std::string& phrase : view("utmost")) {
        for (const auto& terms : forms_of(phrase)) {
          if (terms.empty()) continue;
          CueBook::Node& end = book_.nodes_[node_for(terms)];
          end.relative = index;
          end.utmost = true;
        }
      }
    }
    return {};
  }

  std::uint32_t node_for(const std::vector<std::string>& terms) {
    std::uint32_t at = 0;
    for (const std::string& term : terms) {
      book_.words_.insert(term);
      const auto found = book_.nodes_[at].next.find(term);
      if (found != book_.nodes_[at].next.end()) {
        at = found->second;
        continue;
      }
      const auto fresh = static_cast<std::uint32_t>(book_.nodes_.size());
      book_.nodes_.emplace_back();
      book_.nodes_[at].next.emplace(term, fresh);
      at = fresh;
    }
    return at;
  }

  CueBook& book_;
};

CueBook::CueBook() : nodes_(1) {}

Result<CueBook> CueBook::parse(std::string_view toml) {
  toml::table bundle;
  try {
    bundle = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return bad("line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  CueBook book;
  if (Status status = CueReader(book).read(bundle); !status) return tl::unexpected(status.error());
  return book;
}

const CueBook::Node* CueBook::follow(const Node& node, std::string_view term) const {
  const auto found = node.next.find(term);
  return found == node.next.end() ? nullptr : &nodes_[found->second];
}

std::optional<CueMatch> CueBook::longest(std::span<const std::string> terms, std::size_t first) const {
  std::optional<CueMatch> best;
  const Node* node = &nodes_[0];
  for (std::size_t i = first; i < terms.size(); ++i) {
    node = follow(*node, terms[i]);
    if (node == nullptr) break;
    if (node->kinds != 0) best = CueMatch{node->kinds, static_cast<std::uint32_t>(i - first + 1)};
  }
  return best;
}

std::optional<RelativeMatch> CueBook::longest_relative(std::span<const std::string> terms, std::size_t first) const {
  std::optional<RelativeMatch> best;
  const Node* node = &nodes_[0];
  for (std::size_t i = first; i < terms.size(); ++i) {
    node = follow(*node, terms[i]);
    if (node == nullptr) break;
    if (node->relative) best = RelativeMatch{&relatives_[*node->relative], static_cast<std::uint32_t>(i - first + 1), node->utmost};
  }
  return best;
}

std::size_t CueBook::part(SpeechPart part, std::span<const std::string> terms, std::size_t first) const {
  std::size_t best = 0;
  const Node* node = &nodes_[0];
  for (std::size_t i = first; i < terms.size(); ++i) {
    node = follow(*node, terms[i]);
    if (node == nullptr) break;
    if (node->parts.test(static_cast<std::size_t>(part))) best = i - first + 1;
  }
  return best;
}

const std::vector<std::string>& CueBook::measure(std::string_view unit_kind) const {
  const auto found = measures_.find(unit_kind);
  return found == measures_.end() ? no_words : found->second;
}

std::optional<int> CueBook::ordinal(std::string_view term) const {
  const auto found = ordinals_.find(term);
  return found == ordinals_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> CueBook::dimension(std::string_view term) const {
  const auto found = dimensions_.find(term);
  return found == dimensions_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace turnstone

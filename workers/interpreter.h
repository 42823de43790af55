// Reads one message into signals: a single pass over its words with a small context (negation, comparison,
// strength, list), after the phrases that begin at each word are known.
//
// Order of trust at a word: listing text that stands there intact (feature_runs.h), numbers with their units and
// comparisons, cue phrases, people and departments, sizes, facet values, names of columns; what is left and known
// to the catalogue is free content. Longer phrases go before shorter ones.
// One Interpreter reads one message; linear in its words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/state.h"
#include "workers/feature_runs.h"
#include "workers/lexicon.h"
#include "workers/message.h"
#include "workers/reading.h"

namespace turnstone {

// A number with what belongs to it: "$10-15", "27 inch", "60-ish", "twenty five dollars".
struct Amount {
  std::size_t length = 0;  // words
  Number value;
  std::optional<Number> upper;
  std::vector<Number> others;  // further choices: "16 or 32 GB"
  std::string currency;
  const Unit* unit = nullptr;
  bool ish = false;
  bool percent = false;
  std::int64_t times = 1;  // "15 thousand", "15k": what the value was multiplied with
  bool bare() const { return currency.empty() && unit == nullptr && !percent; }
};

class Interpreter {
 public:
  Interpreter(const Message& message, const IntentState& state, const Artefact& artefact, const Policy& policy, const Lexicon& lexicon);
  Reading run();

 private:
  enum class Polarity : std::uint8_t { wanted, rejected, neither };

  struct Context {
    Polarity polarity = Polarity::wanted;
    std::size_t polarity_items = 0;   // read since it turned
    bool broad = false;               // a rejection that only a clause end closes ("anything but")
    std::optional<Operator> compare;  // waits for its number
    bool turned = false;              // the comparison was denied: "not before"
    bool between = false;
    bool dropping = false;
    std::size_t drop_until = 0;       // word where taking back ends: "swap oak FOR pine"; 0 = none
    std::size_t drop_close = 0;       // words there that only close it
    bool waiving = false;              // waits for names of facets
    std::optional<std::string> facet;  // named: "colour: …"
    std::size_t facet_at = 0;
    std::optional<Strength> strength;
    bool budget = false;
    bool size = false;
    bool size_system = false;
    bool adds = false;
    std::vector<std::pair<std::string, std::size_t>> names;  // facets named in the clause, with the word
  };

  struct Label {  // "Primary Color:", where a column's name is a part of it
    std::string facet;
    std::uint32_t begin = 0;        // bytes
    std::uint32_t value_begin = 0;
  };

  struct Stance {  // how the reader stood to a word that it left for later
    Polarity polarity = Polarity::wanted;
    bool dropping = false;
    bool waiving = false;
    std::optional<Strength> strength;
    friend bool operator==(const Stance&, const Stance&) = default;
  };

  struct Item {  // a value that a list may go on from
    std::size_t signal = 0;
    std::size_t last = 0;  // word after it
    std::string facet;
    Polarity polarity = Polarity::wanted;
  };

  static constexpr std::string_view revoked = "taken back";  // how the words of a revocation were read

  // --- interpreter.cpp: the pass ---
  void survey();  // category at hand, clauses that only tell
  void survey_stories();
  void survey_asking();
  bool tells_of_people(std::size_t first, std::size_t last) const;
  void hear_products_told();
  void survey_products();
  void split_compound(std::size_t i);  // "denim jacket": a value and a product, when both are known
  bool split_at(std::size_t i, std::size_t head);
  void read_options();
  bool bounds_option(std::size_t first, std::size_t length) const;
  void read_shortened_option();
  void put_option(const QuestionOption& option, std::size_t first, std::size_t length);
  void step();
  void begin_clause();
  void pass_comma();
  bool is_compound_front(std::size_t i) const;
  bool cue_overtakes(std::size_t i, std::size_t length) const;
  bool read_told_cue();
  bool value_before_cue() const;
  bool read_cue();
  bool apply_cue(const CueMatch& cue, TextSpan span);
  bool is_needed(std::size_t after) const;
  std::optional<std::size_t> waives_cost(std::size_t after) const;
  void negate(bool broad);
  void finish_acts();

  // --- interpreter_acts.cpp ---
  struct Refused {
    std::size_t end = 0;
    std::string facet;
  };
  void read_revocations();
  struct Held {  // what was held of a column before
    std::size_t end = 0;
    std::string facet;
    bool initial = false;
  };
  void read_restorations();
  bool has_changed(const std::string& facet) const;
  std::optional<Held> held_of_column(std::size_t i) const;
  bool read_verdict();
  bool refuses_signal(Signal& signal, TextSpan verdict);
  bool read_exchange();
  bool begins_anew(std::size_t i) const;
  void read_refusals();
  bool has_no_view() const;
  void read_whole_answer();
  std::optional<Refused> refused_name(std::size_t first, std::size_t name) const;
  std::optional<std::size_t> denial_before(std::size_t i) const;
  bool read_act(const CueMatch& cue, TextSpan span);
  std::size_t decline_end(std::size_t after) const;

  // --- interpreter_waivers.cpp ---
  void name_column(const std::string& facet, std::size_t word);
  void waive_named();
  void put_waived(const std::string& facet, TextSpan span);
  void waive_here(std::size_t after, TextSpan span);
  void leave_unread_before();
  bool has_its_value(const std::string& facet, std::size_t word) const;
  bool waive_value_before(TextSpan span);
  bool waive_asked_for(std::size_t after, TextSpan span);
  struct Waiver {
    std::size_t end = 0;
    bool about = false;  // what does not matter is named behind it
  };
  std::optional<Waiver> waiver_at(std::size_t first) const;
  bool read_waiver();

  // --- interpreter_amounts.cpp ---
  struct Plain {
    Number value;
    std::size_t length = 0;
    std::int64_t times = 1;
  };
  std::optional<Plain> joined_digits(std::size_t i, bool sum) const;
  std::optional<Plain> plain_number(std::size_t i, bool money) const;
  bool money_before(std::size_t i) const;
  std::optional<Amount> amount_at(std::size_t i) const;
  std::optional<Amount> one_amount(std::size_t i) const;
  void join_choices(std::size_t i, Amount& amount) const;
  bool is_thousands(std::size_t i) const;
  bool number_words(std::size_t i, Amount& amount) const;
  bool is_counted_so(std::size_t i) const;
  bool is_measured_in(std::string_view kind) const;
  void finish_amount(std::size_t i, Amount& amount) const;
  std::optional<std::size_t> amount_near(std::size_t i) const;  // where an amount begins, small words skipped
  bool any_amount_follows(std::size_t i) const;

  // --- interpreter_numbers.cpp ---
  bool read_between(std::size_t after);
  bool read_number();
  std::optional<Operator> bound_by_sign(std::size_t first, std::size_t end) const;
  bool put_amount(const Amount& amount, TextSpan span);
  void set_bounds(Signal& signal, const Amount& amount, Operator plain);
  bool put_price(const Amount& amount, TextSpan span);
  bool is_all_she_has() const;
  bool put_rating(const Amount& amount, TextSpan span, bool stars);
  bool put_age(TextSpan span);

  // --- interpreter_measures.cpp ---
  struct Column {
    const Facet* facet = nullptr;
    Amount amount;  // in its unit
    std::string unit;
    std::int64_t score = 0;
  };
  static std::optional<Number> convert(Number value, const Unit& from, const Unit& to);
  static std::optional<Amount> convert(const Amount& amount, const Unit& to);
  bool put_measure(const Amount& amount, TextSpan span);
  std::optional<Column> column_for(const Amount& amount, std::size_t first, std::size_t last) const;
  std::vector<FacetId> columns_beside(std::size_t first, std::size_t end) const;
  std::int64_t fit(Column& column, const Amount& amount, const Unit* own) const;
  bool put_bare_number(const Amount& amount, TextSpan span);
  bool put_column_number(const Facet& facet, const Amount& amount, TextSpan span);
  bool put_answer_number(const Amount& amount, TextSpan span);
  const Constraint* bound_meant(const Amount& amount) const;
  const Constraint* number_to_correct(const Amount& amount) const;
  const Constraint* measure_spoken_of(const Amount& amount) const;
  bool is_year_and_no_price(const Amount& amount) const;
  bool may_be_price(Number number) const;
  bool correct_number(const Constraint& old, const Amount& amount, TextSpan span);

  // --- interpreter_counts.cpp ---
  const std::vector<NumberUse>& numbers_at_hand() const;
  bool column_counts(const Facet& facet, const std::string& term) const;
  const Facet* counted_column(std::size_t i) const;
  const Facet* calendar_column() const;
  bool column_holds(const Facet& facet, Number number) const;
  bool is_calendar(const Facet& facet) const;
  bool tells_time(std::size_t first, std::size_t end) const;
  bool counts_ahead(std::size_t i, Number number) const;
  bool put_counted(const Amount& amount, TextSpan span);
  bool put_said_before(const Amount& amount, TextSpan span);
  bool put_year(const Amount& amount, TextSpan span);
  bool put_years_ago(const Amount& amount, TextSpan span);
  void take_bound_behind(std::size_t end);
  bool leaves_itself_out() const;
  bool says_near(SpeechPart part, std::size_t first, std::size_t end) const;
  void turn_bound();

  // --- interpreter_places.cpp ---
  struct Place {
    std::size_t length = 0;
    int first = 0;  // -1: the last, 0: the one at hand
    int count = 1;
  };
  std::optional<Place> place_at(std::size_t i, bool in_question = false) const;
  bool read_place();
  bool read_same_as(std::size_t after);
  bool read_size_pattern();
  bool put_size_number(const Amount& amount, TextSpan span);
  void put_size(std::string value, std::size_t first, std::size_t length, Permille confidence);

  // --- interpreter_relative.cpp ---
  bool read_level();
  bool read_column_level();
  std::string relative_facet(const std::vector<std::string>& facets) const;
  const Facet* number_column_at(std::size_t i) const;
  bool read_bound_by_name();
  bool read_superlative();
  bool bounds_number(std::size_t end) const;
  bool is_denied_amount(std::size_t first) const;
  bool is_denied_here(std::size_t first) const;
  void turn_denied_bound(std::size_t first);
  bool read_comparative_bound(std::size_t length, const std::string& facet, bool up);
  bool read_relative();
  bool is_about_products(std::size_t first) const;
  bool describes_listing(std::size_t first, std::size_t length) const;

  // --- interpreter_columns.cpp ---
  static bool is_common_facet(std::string_view name);  // its name is a word about products, never a product
  bool read_facet_name();
  bool read_named_value();
  bool read_named_yes_no(const Facet& facet);
  void take_label_front(std::size_t name);
  void keep_labels();
  bool value_follows(const Facet& facet, std::size_t end) const;
  bool names_more(std::size_t first, std::size_t i) const;
  bool name_with_value(const Facet& facet, std::size_t first, std::size_t end);
  void put_yes_no(const Facet& facet, std::size_t first, std::size_t length);
  void end_denial_of_yes_no();
  void take_label_words(const std::string& facet, std::size_t first, std::size_t length);

  // --- interpreter_pairs.cpp ---
  struct Pair {  // a value with the name of its column; the words [first, end) are its own
    std::size_t first = 0;
    std::size_t end = 0;
    FacetId facet;
    std::optional<ValueId> value;
    std::optional<Amount> amount;  // of a column of numbers
    std::size_t value_first = 0;
    std::size_t value_end = 0;
  };
  void find_pairs();
  struct ColumnName {
    std::size_t length = 0;               // words
    std::vector<const Facet*> columns;  // that may be meant, the likeliest first
  };
  ColumnName name_at(std::size_t i) const;
  bool pair_free(std::size_t first, std::size_t end) const;
  void put_pair(Pair pair);
  std::optional<Pair> pair_value_at(const Facet& facet, std::size_t i) const;
  std::optional<Pair> pair_value_before(const Facet& facet, std::size_t end) const;
  void pair_said_behind(const Facet& facet, std::size_t first, std::size_t end, bool said);
  void pair_said_before(const Facet& facet, std::size_t first, std::size_t end, bool said);
  bool is_filled(FacetId facet) const;
  void find_part_names();
  bool read_pair();

  // --- interpreter_names.cpp ---
  struct Concept {  // what words of a column's name say
    std::string word;
    std::size_t end = 0;  // word after it
  };
  std::vector<Concept> concepts_from(std::size_t i) const;
  ColumnName name_in_other_words(std::size_t i) const;
  void find_shortened_names();
  std::optional<FacetId> holding(const std::vector<FacetId>& columns, Number number) const;
  bool pair_shortened(const std::vector<FacetId>& columns, std::size_t first, std::size_t end);

  // --- interpreter_people.cpp ---
  std::vector<std::string> department_values(const std::string& family) const;
  bool put_department(const std::string& family, std::size_t first, std::size_t length);
  bool read_person();
  bool read_department();
  const Facet* size_column(const FamilyMatch& match) const;
  bool read_size();

  // --- interpreter_values.cpp ---
  void join_list(const std::string& facet);
  const Sense* category_sense(const PhraseMatch& phrase) const;
  bool names_product(std::size_t i) const;
  bool beside_product(std::size_t i) const;
  bool may_name_product(std::size_t i) const;
  bool belongs_to_held(std::size_t i) const;
  bool category_here(std::size_t i) const;  // the head of a product's name stands here
  bool fills(FacetId facet) const;
  const Sense* better(const Sense* a, const Sense* b) const;
  bool says_for(const Sense& other, const Sense& sense) const;
  bool continues_list(std::size_t i) const;
  bool is_stressed(const Sense& sense, const PhraseMatch& phrase, std::size_t i) const;
  bool widens(std::size_t first) const;
  const Sense* choose(const PhraseMatch& phrase, std::size_t i) const;
  bool read_value();
  bool read_value_here();
  bool is_excess(std::size_t i) const;
  bool is_refused_by_property(const Sense& sense, std::size_t first) const;
  bool read_opening();
  void put_value(const Sense& sense, std::size_t first, std::size_t length, Permille confidence);
  void put_word(const std::string& facet, std::vector<std::string> values, std::size_t first, std::size_t length, Permille confidence);
  void take_word_away(const std::string& facet, const std::string& value, TextSpan span);
  void add_usual_name(const Sense& sense, std::vector<std::string>& values) const;
  void add_kinds_called_so(const Sense& sense, const PhraseMatch& phrase, std::vector<std::string>& values) const;
  bool is_denied_with_more(const Sense& sense, std::size_t i) const;
  bool drop_fits(std::size_t after) const;  // something that is wished for is named behind it

  // --- interpreter_questions.cpp ---
  struct Query {
    bool price = false;
    bool maker = false;
    bool asks = false;
    bool pronoun = false;
    std::vector<std::uint32_t> places;  // of the list shown last
    std::vector<bool> points;           // by word: points at a product shown
    bool begun() const { return price || maker || asks; }
  };
  struct Measure {
    std::string facet;
    bool up = false;
    bool utmost = false;
  };
  void read_questions();
  Query query_in(std::size_t first, std::size_t last) const;
  void add_places(Query& query, const Place& place) const;
  void read_question(std::size_t first, std::size_t last);
  void ask_whether(Signal& signal, const Query& query, std::size_t first, std::size_t last) const;
  std::optional<Measure> compared_by(std::size_t first, std::size_t last) const;
  const Facet* yes_no_asked(std::size_t first, std::size_t last, bool partly) const;
  bool ask_which(const Query& query, std::size_t first, std::size_t last);

  // --- interpreter_content.cpp ---
  void put_feature(std::size_t first, std::size_t last, Permille confidence);
  std::string facet_in_question(std::size_t first, std::size_t last) const;
  std::size_t unaccounted(std::size_t first, std::size_t last) const;
  void read_runs();
  bool read_shares();
  void read_run(const FeatureRun& run, const Context& frame);
  bool is_free(std::size_t i) const;
  std::vector<bool> small_talk() const;
  void read_bare_names();
  bool is_label(const std::string& facet, const std::string& term) const;
  void read_free_content();
  void put_stretch(std::size_t first, std::size_t last);

  Signal& put(SignalKind kind, TextSpan span, Permille confidence);
  void act(Act what, TextSpan span, Permille confidence = Permille{900});
  void consume(std::size_t first, std::size_t length, std::string as);
  bool used(std::size_t i) const { return !as_[i].empty(); }
  std::size_t clause_end(std::size_t i) const;  // next hard break
  bool only_small_words(std::size_t first, std::size_t last) const;
  const AskedQuestion* asked() const { return asked_; }
  bool asked_about(std::string_view facet) const { return asked_ != nullptr && asked_->question.facet == facet; }
  Strength strength_for(std::string_view facet) const;

  const Message& m_;
  const IntentState& state_;
  const Artefact& artefact_;
  const Policy& policy_;
  const CueBook& cues_;
  const Lexicon& lexicon_;
  const Facet* category_facet_ = nullptr;
  const AskedQuestion* asked_ = nullptr;  // the question of the last reply, when it waits for an answer

  Reading reading_;
  std::vector<PhraseMatch> phrases_;  // of the message, compounds split
  std::vector<std::string> as_;       // how each word was read; empty = not yet
  std::vector<Stance> stance_;
  std::vector<bool> told_;    // stands in a clause that only tells
  std::vector<bool> in_run_;  // stands in intact listing text
  std::vector<FeatureRun> runs_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> pair_at_;  // by word: 1 + its pair; 0 = none
  std::vector<bool> named_;             // by word: part of a column's name
  std::vector<bool> read_as_name_;      // by word: read as one
  std::optional<ValueId> category_;           // at hand: of this message, else of the state
  std::vector<Label> labels_;
  std::vector<std::pair<std::string, std::size_t>> named_columns_;  // of the whole message, with the word
  std::vector<std::size_t> heads_;            // words where a product's name begins
  std::uint32_t corrects_from_ = 0xffffffff;  // byte where the first correction cue stands
  Context c_;
  std::optional<Item> last_;
  std::size_t amount_first_ = 0;  // words of the number being read
  std::size_t amount_end_ = 0;
  mutable std::vector<std::string> facet_keys_;            // by facet, when first needed
  mutable std::optional<const Facet*> calendar_;           // the column of years, when first needed
  bool age_said_ = false;
  std::size_t at_ = 0;
};

}  // namespace turnstone

#include "workers/revocation.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using Reach = Revocation::Reach;

// The first revocation of a message, with what it says.
struct Found {
  std::optional<Reach> reach;
  std::string words;
};

Found first_in(const std::string& text) {
  const Artefact& artefact = stage_fixture::furniture_artefact();
  const auto policy = Policy::standard();
  const auto lexicon = Lexicon::of(artefact, *policy);
  const Message message = read_message(text, artefact, policy->cues(), *lexicon);
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (const auto found = revocation_at(message, i, policy->cues())) return {found->reach, message.said(message.span(i, i + found->length))};
  }
  return {};
}

TEST(Revocation, AnyVerbGoesWithAnyReferenceToEarlierSpeech) {
  for (const std::string verb : {"forget", "scrap", "ignore", "disregard", "never mind", "Drop", "please cancel", "STRIKE", "discard", "forget about"}) {
    for (const std::string reference : {"what I said before", "everything I told you", "all that", "my earlier preference", "the earlier stuff", "all of it",
                                        "my previous requests", "whatever I asked for", "the things I mentioned so far", "what we said earlier on"}) {
      const Found found = first_in("hmm, " + verb + " " + reference + ". I need oak");
      EXPECT_EQ(found.reach, Reach::all) << verb << " " << reference << " → \"" << found.words << "\"";
      EXPECT_TRUE(found.words.ends_with(reference)) << found.words;
    }
  }
}

TEST(Revocation, TheLatestOrAMereThatReachesAsFarAsWhatFollowsSays) {
  for (const std::string text : {"scratch that, pine", "forget it", "strike this.", "ignore my last message", "forget what I just said", "I take that back",
                                 "that was wrong, what matters is oak", "never mind that", "never mind. Pine", "cross it out, pine", "drop that: pine"}) {
    EXPECT_EQ(first_in(text).reach, Reach::latest) << text;
  }
}

TEST(Revocation, EarlierSpeechMayBeSaidToHoldNoLonger) {
  for (const std::string text : {"what I said before no longer applies", "my earlier wishes don't count", "everything I told you was wrong",
                                 "I take everything back", "I've changed my mind about what I said", "set what I said aside", "none of that matters any more",
                                 "nothing I told you is important now", "I no longer want what I described", "don't go by my first wishes any longer",
                                 "let me redo my wish list for this one", "cancel those requirements", "my earlier answers aren't relevant any more",
                                 "the stuff I asked for is off the table", "ignore previous, oak", "forget the earlier: oak"}) {
    EXPECT_EQ(first_in(text).reach, Reach::all) << text;
  }
  EXPECT_EQ(first_in("I've changed my mind. Oak it is").reach, Reach::turn);
  EXPECT_EQ(first_in("change of plan: oak").reach, Reach::turn);
}

TEST(Revocation, SlipsAreMendedInCueWordsToo) {
  EXPECT_EQ(first_in("scarp what I siad before").reach, Reach::all);
  EXPECT_EQ(first_in("diregard evrything I tolld you").reach, Reach::all);
  EXPECT_EQ(first_in("forgt my earlir preferance").reach, Reach::all);
}

TEST(Revocation, FalseFriendsRevokeNothing) {
  for (const std::string text :
       {"don't forget that I need cotton", "don't forget what I said before", "please do not ignore what I told you", "drop it in my basket", "forget the budget",
        "forget about the yellow", "never mind the colour", "ignore my earlier preference for oak", "a scratch resistant desk", "cancel that order of things",
        "I want what I said before", "my last sofa was red", "the old one was wrong for us", "as I said before, oak", "a noise cancelling desk",
        "those are not right", "I've changed my mind about the colour", "remove all heels", "that desk was wrong", "all of the above", "what I said matters", "I don't need the details", "nothing with leather", "I no longer want leather", "don't use leather", "the first thing I need is a desk"}) {
    const Found found = first_in(text);
    EXPECT_FALSE(found.reach) << text << " → \"" << found.words << "\"";
  }
}

TEST(Revocation, LooksABoundedWayFromEachWord) {
  std::string text;
  for (int i = 0; i < 1'500; ++i) text += i % 3 == 0 ? "forget " : i % 3 == 1 ? "all " : "my ";
  EXPECT_FALSE(first_in(text).reach);
}

}  // namespace
}  // namespace turnstone

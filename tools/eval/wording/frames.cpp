#include "tools/eval/wording/frames.h"

namespace turnstone {

namespace {

using Frames = std::span<const std::string_view>;

constexpr std::string_view wants[] = {
    "I'm after {c}, and {f} is a must.",
    "{f}, that's what I need in {c}.",
    "Do you have any {c}? It has to be {f}.",
    "hey, need {c}. {f} if you've got it",
    "Show me {c} with {f}.",
    "My old one fell apart, so I need new {c}. This time: {f}.",
    "Can you help me find {c}? The one thing I won't compromise on is {f}.",
    "{c}, {f}.",
    "If you carry {c}, I'd like to see the ones described as {f}.",
    "What have you got in {c}? {f}, please.",
    "Looking to buy {c} today - must be {f}.",
    "{f} is the dealbreaker for me. The product: {c}.",
    "I've been searching everywhere for {c}. All I really ask is {f}.",
    "We need {c} around here; make sure it's {f}.",
    "Could you point me to {c}? I want {f}.",
    "Just {c} with {f} for me.",
    "There's one thing that counts when I pick {c}: {f}.",
    "Would love some {c}. Needs {f}, though.",
    "Get me {c}, {f}, thanks.",
    "{c} - {f} - anything in stock?",
    "So I finally decided to order {c}. {f} is non-negotiable.",
    "Where can I see your {c}? I care about {f}.",
    "I want {c}. Without {f} it's no use to me.",
    "Suppose I wanted {c} that had {f}: what would you show me?",
    "{f}! In {c}. Got any?",
    "I could use {c}, specifically {f}.",
    "Let's start with {c}. What I was told to get says {f}.",
    "Buying {c}. Requirement number one: {f}.",
    "Trying to replace what I had: {c}, and again {f}.",
    "Anything in {c} that's {f}? That part I'm sure about.",
};

constexpr std::string_view wants_at_first[] = {
    "I'm thinking of {c}, maybe {f}.",
    "{c} would be nice, and I kind of like {f}.",
    "Right now I picture {c} with {f}.",
    "At first glance I'd go for {c}, {f}.",
    "Browsing {c}; so far {f} sounds good.",
    "Let me see {c}. {f} comes to mind.",
    "Some {c}? Preferably {f}.",
    "{f} caught my eye. I'm looking at {c}.",
    "I guess I want {c}. {f}, I suppose.",
    "{c} please, leaning towards {f}",
    "We were talking about {c} at home and {f} came up. Do you have that?",
    "Hi there, {c} for me. {f} would suit me.",
    "How about {c}, say {f}?",
    "If there are {c} with {f}, I'd start there.",
    "Initially I had {f} in mind, for {c}.",
    "Starting point: {c}, {f}.",
    "A friend has {c} with {f} and I'd like the same.",
    "I'd be happy with {c}, {f}.",
    "Could be {c}. Could be {f}. Show me.",
    "{c}, ideally {f}",
    "For now let's say {c} and {f}.",
    "I saw {c} somewhere, {f}, and want something along those lines.",
    "Do you sell {c}? I was hoping for {f}.",
    "Thinking out loud: {f}, {c}...",
    "I'd like {f} if possible. It's {c} I need.",
    "What do you have for somebody who wants {c} and likes {f}?",
    "{f} - that's my first idea for {c}.",
    "Been wanting {c} for a while. {f} appeals to me.",
};

constexpr std::string_view explores[] = {
    "Just having a look at {c}.",
    "What {c} do you have?",
    "I need {c} but haven't made up my mind about anything.",
    "{c}?",
    "Show me your {c}, I'm not sure what I want yet.",
    "Thinking about getting {c}. No idea where to begin.",
    "hi! browsing {c} today",
    "Could you walk me through {c}?",
    "I'd like to get an idea of {c} first.",
    "Not decided on details, but it should be {c}.",
    "{c}, open to suggestions.",
    "So, {c}. What's out there?",
    "My birthday money is burning a hole in my pocket and I want {c}.",
    "Let's see some {c}.",
    "Can I look around? {c} is the section I'm interested in.",
    "I'm in the market for {c}.",
    "Somebody told me you have good {c}. What would you recommend?",
    "Help me choose {c}.",
    "Do you carry {c}",
    "I want to explore {c} a bit.",
    "If I were to buy {c}, what should I be looking at?",
    "New here. Interested in {c}.",
    "Time for new {c}, I think.",
    "Give me an overview of {c}.",
    "Where do I start with {c}? There's so much.",
    "It's {c} that I'm shopping for, no specifics so far.",
    "Any {c} worth seeing?",
    "I was wondering about {c}, nothing particular in mind.",
};

constexpr std::string_view tells[] = {
    "{f}.",
    "It should be {f}.",
    "I'd say {f}.",
    "Well, {f} would be important to me.",
    "{f} please",
    "Let's go with {f}.",
    "Must be {f}, otherwise it goes straight back.",
    "Something with {f}.",
    "I care most about {f}.",
    "Make it {f}.",
    "Good question! {f}, definitely.",
    "What I'm hoping for is {f}.",
    "The one I saw said: {f}",
    "Oh, and {f}.",
    "Does it come with {f}? That's what I want.",
    "{f} matters a lot",
    "My last one had {f} and I loved that.",
    "If it's {f}, I'm happy.",
    "I want {f}",
    "Could you narrow it down to {f}?",
    "For me it comes down to {f}.",
    "Has to have {f}.",
    "{f}, that much I know.",
    "I was told to look for {f}.",
    "Prefer {f}.",
    "Hmm, let me think... {f}.",
    "Only show the ones with {f}.",
    "You can filter by {f}.",
    "I'd be disappointed without {f}.",
    "{f} - can you do that?",
};

constexpr std::string_view tells_pair[] = {
    "{f} and {g}.",
    "It should be {f}, and also {g}.",
    "Two things: {f}. And {g}.",
    "{f}; {g}",
    "I'd like {f}. {g} as well.",
    "First of all {f}, then {g}.",
    "{f}, plus {g}.",
    "Both {f} and {g} matter to me.",
    "Well, {f} for sure. Also {g}, if I think about it.",
    "Make it {f} with {g}.",
    "I'm picky about {f} and about {g}.",
    "{g}. Oh, and {f}.",
    "On my list: {f}, {g}.",
    "Let's say {f}. And would it have {g}?",
    "What I want is {f} together with {g}.",
    "Has to have {f}. Has to have {g}.",
    "{f} would be great, {g} too.",
    "My better half insists on {f}; I want {g}.",
    "One, {f}. Two, {g}.",
    "The one I saw had {f} and {g}",
    "If it's {f} and {g}, I'll take it.",
    "{f} / {g}",
    "Not much, really: {f}, {g}.",
    "Could you look for {f}? {g} is important too.",
    "I know exactly: {f}, {g}.",
    "As for details, {f}. Besides that, {g}.",
    "Ideally something {f}, {g}.",
    "{f} is what I told everyone I'd get, and {g} on top of it.",
    "Somewhere between practical and nice: {f}, {g}.",
    "Needs {f}... and {g}",
};

constexpr std::string_view nothing_more[] = {
    "Nothing more to say about {a}.",
    "That's all I have on {a}.",
    "No further wishes regarding {a}.",
    "I've told you everything about {a}.",
    "{a}? Can't think of anything else.",
    "Nope, nothing to add on {a}.",
    "I don't really have any other thoughts about {a}.",
    "Beyond what I said, no. {a} isn't something I've thought about.",
    "no more preferences there",
    "As far as {a} goes, I'm out of ideas.",
    "You already know all I know about {a}.",
    "Couldn't tell you anything about {a}.",
    "I haven't got an opinion on {a}.",
    "Hmm, no, not for {a}.",
    "There's nothing else I'd insist on for {a}.",
    "Skip {a}, I've nothing there.",
    "Regarding {a}: no idea, sorry.",
    "I'd leave {a} as it is.",
    "If you mean {a}, I've no extra requirement.",
    "Not that I know of",
    "What else could there be about {a}? I'm done with that.",
    "That covers {a} for me.",
    "Honestly nothing comes to mind for {a}.",
    "My list ends here, nothing for {a}.",
    "Can't help you with {a}.",
    "No, I think we've got {a} covered.",
    "I never gave {a} much thought.",
    "Let's move on from {a}.",
};

constexpr std::string_view leaves_open[] = {
    "Any {a} will do.",
    "I don't mind about {a}, you decide.",
    "{a} is up to you.",
    "Whatever you think is best for {a}.",
    "Surprise me on {a}.",
    "I'm easy when it comes to {a}.",
    "Doesn't matter to me, {a}-wise",
    "You pick the {a}.",
    "I have no strong feelings on {a}; go with what sells well.",
    "Use your own taste for {a}.",
    "{a}? I trust you.",
    "No preference on {a}, your call.",
    "I'd leave {a} to the expert, that's you.",
    "All the same to me, {a}.",
    "Couldn't care less about {a}. Choose something good.",
    "I'm flexible about {a}.",
    "It makes no difference what {a} it is.",
    "Decide for me, {a} I mean.",
    "Either way is fine with {a}.",
    "Just take a sensible default for {a}.",
    "I'd be fine with anything as to {a}.",
    "Let me be open on {a} - what would you choose?",
    "Don't worry about {a}, use your best judgement.",
    "As for {a}, anything goes.",
    "Your guess on {a} is as good as mine, so go ahead.",
    "{a}: not fussed",
    "If I had to choose {a} I'd toss a coin. You do it.",
    "Not important, {a}. Pick one.",
};

constexpr std::string_view not_right_yet[] = {
    "None of these is it.",
    "Hmm, not what I had in mind.",
    "Those aren't quite it yet. Ask me something.",
    "Not there yet",
    "I don't see it among these.",
    "Nice, but no. What else do you need to know?",
    "These don't do it for me.",
    "It isn't in this list, try again.",
    "Close, but that's not the one.",
    "I've looked through them and none fits.",
    "That's not it. Would it help if I told you more?",
    "no, not these",
    "What you showed isn't right for me.",
    "Keep going, please.",
    "I was expecting something different.",
    "Still not right. Maybe a question would help.",
    "Sorry, none of them.",
    "Wrong ones, I'm afraid.",
    "Any others? I can't find mine.",
    "I scrolled through all of that and came up empty.",
    "You're not quite there.",
    "If that's all, it's not enough. What do you want to know?",
    "I'd pass on these.",
    "Doesn't look like what I want yet.",
    "Let me see different ones.",
    "That selection misses the point.",
    "Nah.",
    "My search isn't over with these, ask away.",
};

constexpr std::string_view changes_her_mind[] = {
    "Forget what I told you before, I need {f}.",
    "Scrap that. {f} is what I'm after.",
    "Actually no, drop everything I asked for so far. It's {f} that I want.",
    "I changed my mind about all of it: {f}.",
    "Ignore my previous wishes and find me {f}.",
    "Wait, disregard what I said earlier. {f}.",
    "On second thought, none of that matters any more. What counts is {f}.",
    "Let's throw out what I wanted before. Now: {f}",
    "Never mind my earlier preferences. {f} it is.",
    "You know what, strike all that. I want {f}.",
    "What I said at the start was wrong, please don't use it. I really need {f}.",
    "My earlier description no longer holds; instead go by {f}.",
    "Cancel those requirements. The new one is {f}.",
    "Hold on - I take back everything I mentioned. {f} please.",
    "Can we reset the details? I only care about {f} now.",
    "sorry, the stuff from before doesn't apply anymore. {f}",
    "I've been going about this all wrong. Set aside my previous answers and look for {f}.",
    "Oh, I mixed something up. Erase what you've noted; it has to be {f}.",
    "Please don't go by my first wishes any longer. I'd rather have {f}.",
    "Forget the other things I gave you. The real requirement: {f}.",
    "If you wrote down what I asked for, cross it out. {f}, that's what I need.",
    "My partner just told me I had it all wrong, so leave out what I said. {f} is what we need.",
    "Leave my old preference out of it. Give me {f}.",
    "That was nonsense, what I told you earlier. Look for {f} instead.",
    "Let me redo my wish list for this one: {f}.",
    "Undo my earlier preferences, would you? Then add {f}.",
    "Everything I said up to now is off the table. I need {f}.",
    "Hmm, no. Discard my earlier wish and use {f}.",
    "I no longer want what I described. I want {f}.",
    "Things have changed, so forget my preference from before; {f} from now on.",
};

constexpr std::string_view bare_wants[] = {"{c} {f}", "{f} {c}", "{c}: {f}", "{f}, {c}", "{c}, {f}", "{f} - {c}", "{c} - {f}", "{c} / {f}"};
constexpr std::string_view bare_explores[] = {"{c}", "{c}?", "{c}.", "{c}...", "any {c}", "some {c}", "browsing {c}", "{c} please"};
constexpr std::string_view bare_tells[] = {"{f}", "{f}.", "{f}!", "{f}...", "{f}?", "hm {f}", "{f} please", "well {f}"};
constexpr std::string_view bare_tells_pair[] = {"{f} {g}", "{f}, {g}", "{f}. {g}.", "{g}, {f}", "{f} / {g}", "{f}; {g}", "{g} {f}", "{f} + {g}"};
constexpr std::string_view bare_nothing_more[] = {
    "nothing",    "nope",   "nothing else", "no more",   "no idea", "that's all", "dunno",         "can't say",
    "no",         "none",   "all said",     "no wishes", "pass",    "skip",       "next question", "nothing there",
    "no comment", "enough", "not sure",     "no clue",   "done",    "that's it",  "nah",           "unsure"};
constexpr std::string_view bare_leaves_open[] = {"any",           "whatever",      "any {a}",     "you choose",     "you decide", "anything",
                                                 "don't care",    "up to you",     "surprise me", "doesn't matter", "your pick",  "no preference",
                                                 "all fine",      "not important", "your call",   "don't mind",     "either",     "not picky",
                                                 "anything goes", "irrelevant",    "flexible",    "pick one",       "any works",  "same to me"};
constexpr std::string_view bare_not_right_yet[] = {
    "none",          "not these", "different ones", "nope",          "wrong ones",     "none fit",   "not right", "not yet", "other ones",
    "keep looking",  "nah",       "try again",      "no match",      "something else", "not it",     "others?",   "next",    "more",
    "not there yet", "no",        "wrong",          "none of these", "again",          "show others"};
constexpr std::string_view bare_changes_her_mind[] = {
    "scrap that: {f}",     "forget that, {f}",  "drop that. {f}",         "ignore that: {f}",      "cancel that, {f}",     "discard that, {f}",
    "never mind. {f}",     "strike that: {f}",  "forget everything: {f}", "scrap everything, {f}", "drop everything. {f}", "erase that. {f}",
    "disregard that: {f}", "changed mind: {f}", "ignore previous, {f}",   "forget before. {f}"};

constexpr std::string_view openers[] = {
    "Honestly, ", "Well, ",     "Um, ", "So basically, ", "To tell you the truth, ", "Okay so ", "Right, ",
    "You see, ",  "Oh, ",       "Ah yes, ", "Look, ",     "Let me put it this way: ",
};

constexpr std::string_view stories[] = {
    "We moved last month and half of our things are still in boxes.",
    "I've been putting this off since spring.",
    "It's been raining here all week, so I'm stuck at the computer.",
    "Last year I ordered something similar and it got lost in the post.",
    "A colleague of mine swears by your shop.",
    "I spent all Saturday in the mall and came home with nothing but a sandwich.",
    "My neighbour asked me where I get my stuff and I told her about you.",
    "There's a big family reunion coming up and everybody will be there.",
    "The last time I bought anything like this was before the pandemic.",
    "I promised myself I'd get this done before the weekend.",
    "You would not believe the day I've had.",
    "I was up half the night reading reviews and I'm none the wiser.",
    "When I was little we used to get these from a tiny store round the corner.",
    "My cousin got a bargain in January and hasn't stopped talking about it.",
    "I returned two already, neither was any good.",
    "The doorbell rang twice while I was typing this, sorry.",
    "We just came back from a trip to the lake and everything is a mess.",
    "I lost a bet, so now it's my turn to shop.",
    "My boss gave us all the afternoon off.",
    "I've got a voucher that runs out on Friday.",
    "To be fair, the old one lasted a good six years.",
    "I asked in another shop, but they only shrugged.",
    "There was a film on last night where the hero had exactly the thing I mean.",
    "I usually leave this sort of thing to somebody else.",
};

constexpr std::string_view remarks[] = {
    "By the way, my cat is walking over the keyboard.",
    "What a week!",
    "I should really be cooking dinner by now.",
    "The weather is dreadful, isn't it?",
    "My coffee has gone cold again.",
    "Did you see the game yesterday?",
    "Anyway, the train was late as usual.",
    "My phone battery is nearly dead, so I'll be quick.",
    "I hope I'm making sense.",
    "The kids next door are having a party, it's rather loud.",
    "Funny how time flies.",
    "I haven't slept much, bear with me.",
    "It's my day off, finally.",
    "Someone is mowing the lawn outside.",
    "I'm typing this on the bus.",
    "My dentist appointment got moved, so I've got an hour.",
    "Wow, it's already four o'clock.",
    "Do you ever get tired of all these questions?",
    "I nearly forgot my umbrella this morning.",
    "There's a song stuck in my head.",
    "The dog needs to go out soon.",
    "My internet is slow today.",
    "I'm not very good at this online business.",
    "Spring can't come soon enough.",
};

constexpr std::string_view courtesies[] = {
    "Thank you so much!",
    "Thanks a lot in advance.",
    "I really appreciate it.",
    "Cheers!",
    "Much obliged.",
    "You're a star.",
    "Many thanks.",
    "Thanks for your patience.",
    "Bless you.",
    "Kind regards.",
    "Sorry to be a bother.",
    "That would be lovely, thanks.",
};

Frames table_of(SpeechAct act, FrameSet set) {
  const bool bare = set == FrameSet::bare || set == FrameSet::bare_pair;
  switch (act) {
    case SpeechAct::wants:
      return bare ? Frames(bare_wants) : Frames(wants);
    case SpeechAct::wants_at_first:
      return bare ? Frames(bare_wants) : Frames(wants_at_first);
    case SpeechAct::explores:
      return bare ? Frames(bare_explores) : Frames(explores);
    case SpeechAct::tells:
      if (set == FrameSet::full_pair) return tells_pair;
      if (set == FrameSet::bare_pair) return bare_tells_pair;
      return bare ? Frames(bare_tells) : Frames(tells);
    case SpeechAct::nothing_more:
      return bare ? Frames(bare_nothing_more) : Frames(nothing_more);
    case SpeechAct::leaves_open:
      return bare ? Frames(bare_leaves_open) : Frames(leaves_open);
    case SpeechAct::not_right_yet:
      return bare ? Frames(bare_not_right_yet) : Frames(not_right_yet);
    case SpeechAct::changes_her_mind:
      return bare ? Frames(bare_changes_her_mind) : Frames(changes_her_mind);
  }
  return tells;
}

std::vector<std::string_view> half_of(Frames table, FrameHalf half) {
  std::vector<std::string_view> some;
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (half == FrameHalf::all || (at % 2 == 1) == (half == FrameHalf::reserved)) some.push_back(table[at]);
  }
  return some;
}

}  // namespace

std::string_view to_string(SpeechAct act) {
  switch (act) {
    case SpeechAct::wants:
      return "wants";
    case SpeechAct::wants_at_first:
      return "wants_at_first";
    case SpeechAct::explores:
      return "explores";
    case SpeechAct::tells:
      return "tells";
    case SpeechAct::nothing_more:
      return "nothing_more";
    case SpeechAct::leaves_open:
      return "leaves_open";
    case SpeechAct::not_right_yet:
      return "not_right_yet";
    case SpeechAct::changes_her_mind:
      return "changes_her_mind";
  }
  return "tells";
}

std::string_view to_string(FrameHalf half) {
  switch (half) {
    case FrameHalf::development:
      return "development";
    case FrameHalf::reserved:
      return "reserved";
    case FrameHalf::all:
      return "all";
  }
  return "all";
}

std::optional<FrameHalf> frame_half_named(std::string_view name) {
  for (const FrameHalf half : {FrameHalf::development, FrameHalf::reserved, FrameHalf::all}) {
    if (to_string(half) == name) return half;
  }
  return std::nullopt;
}

std::vector<std::string_view> frames(SpeechAct act, FrameSet set, FrameHalf half) { return half_of(table_of(act, set), half); }

std::vector<std::string_view> chatter(Chatter kind, FrameHalf half) {
  switch (kind) {
    case Chatter::opener:
      return half_of(openers, half);
    case Chatter::story:
      return half_of(stories, half);
    case Chatter::remark:
      return half_of(remarks, half);
    case Chatter::courtesy:
      return half_of(courtesies, half);
  }
  return {};
}

std::string fill(std::string_view frame, const FrameValues& values) {
  std::string text;
  for (std::size_t at = 0; at < frame.size(); ++at) {
    if (frame[at] != '{' || at + 2 >= frame.size() || frame[at + 2] != '}') {
      text += frame[at];
      continue;
    }
    switch (frame[at + 1]) {
      case 'c':
        text += values.category;
        break;
      case 'f':
        text += values.first;
        break;
      case 'g':
        text += values.second;
        break;
      default:
        text += values.attribute;
        break;
    }
    at += 2;
  }
  return text;
}

}  // namespace turnstone

#include "tools/talk/resend.h"

#include <gtest/gtest.h>

#include <deque>

namespace turnstone {
namespace {

using std::chrono::milliseconds;

// Answers one after the other, each after a time of its own; the last for ever.
struct Engine {
  struct Answer {
    unsigned status;  // 0: cannot be reached
    milliseconds after;
  };
  std::deque<Answer> answers;
  std::chrono::steady_clock::time_point now{};
  int sent = 0;
  std::vector<std::string> told = {};

  Result<HttpResponse> run() {
    ResendMeans means;
    means.send = [this]() -> Result<HttpResponse> {
      ++sent;
      const Answer answer = answers.front();
      if (answers.size() > 1) answers.pop_front();
      now += answer.after;
      if (answer.status == 0) return fail(ErrorCode::io, "nobody there");
      HttpResponse response;
      response.status = answer.status;
      response.body = R"({"detail":"later"})";
      return response;
    };
    means.tell = [this](const std::string& why) { told.push_back(why); };
    means.now = [this] { return now; };
    means.pause = [this](milliseconds time) { now += time; };
    return send_until_answered(means);
  }
};

TEST(Resend, AnAnswerThatComesTooLateIsAskedForAgain) {
  Engine engine{{{504, milliseconds(30'000)}, {504, milliseconds(30'000)}, {200, milliseconds(5)}}};
  EXPECT_EQ(engine.run()->status, 200U);
  EXPECT_EQ(engine.sent, 3);
  EXPECT_EQ(engine.told, std::vector<std::string>{"later"});
}

TEST(Resend, PatienceEnds) {
  Engine late{{{504, milliseconds(30'000)}}};
  EXPECT_EQ(late.run()->status, 504U);
  EXPECT_EQ(late.sent, late_answers_max);
  Engine busy{{{503, milliseconds(0)}}};
  EXPECT_EQ(busy.run()->status, 503U);
  EXPECT_EQ(busy.sent, static_cast<int>(resend_patience / resend_pause) + 2);
  Engine gone{{{0, milliseconds(1'000)}}};
  EXPECT_FALSE(gone.run());
  EXPECT_GT(gone.sent, 20);
}

TEST(Resend, OtherAnswersAreFinal) {
  Engine engine{{{0, milliseconds(10)}, {503, milliseconds(10)}, {410, milliseconds(1)}}};
  EXPECT_EQ(engine.run()->status, 410U);
  EXPECT_EQ(engine.sent, 3);
}

}  // namespace
}  // namespace turnstone

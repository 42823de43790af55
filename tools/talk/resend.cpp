#include "tools/talk/resend.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace turnstone {

Result<HttpResponse> send_until_answered(const ResendMeans& means) {
  const auto end = means.now() + resend_patience;
  int late_answers = 0;
  for (bool told = false;; told = true) {
    auto response = means.send();
    const bool late = response && response->status == 504;
    if (late) ++late_answers;
    const bool later = !response || response->status == 503 || late;
    const bool patient = late ? late_answers < late_answers_max : means.now() <= end;
    if (!later || !patient) return response;
    if (!told && means.tell) means.tell(response ? problem_detail(*response) : response.error().detail);
    if (means.pause) {
      means.pause(resend_pause);
    } else {
      std::this_thread::sleep_for(resend_pause);
    }
  }
}

std::string problem_detail(const HttpResponse& response) {
  const auto document = nlohmann::json::parse(response.body, nullptr, false);
  return document.is_object() ? document.value("detail", std::string()) : fmt::format("HTTP status {}", response.status);
}

}  // namespace turnstone

#include "tests/scenarios/trial_catalogue.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <vector>

#include "storage/catalogue/catalogue.h"

namespace turnstone {
namespace {

using Details = std::vector<std::pair<std::string, std::string>>;

// One catalogue in the making: every product is one JSON line.
class Lines {
 public:
  void add(const std::string& title, const std::vector<std::string>& categories, const std::vector<std::string>& features, const Details& details,
           const std::string& store, int price) {
    text_ += "{\"parent_asin\":\"P" + std::to_string(10'000 + count_++) + "\",\"title\":\"" + title + "\",\"categories\":" + list(categories) +
             ",\"features\":" + list(features) + ",\"description\":[],\"details\":{";
    for (std::size_t i = 0; i < details.size(); ++i) text_ += (i > 0 ? ",\"" : "\"") + details[i].first + "\":\"" + details[i].second + "\"";
    text_ += "},\"store\":\"" + store + "\",\"price\":" + std::to_string(price) +
             ",\"average_rating\":" + std::to_string(3 + count_ % 2) + "." + std::to_string(count_ * 7 % 10) + ",\"rating_number\":" + std::to_string(count_ * 7 % 900) + "}\n";
  }
  const std::string& text() const { return text_; }
  int count() const { return count_; }

 private:
  static std::string list(const std::vector<std::string>& items) {
    std::string out = "[";
    for (std::size_t i = 0; i < items.size(); ++i) out += (i > 0 ? ",\"" : "\"") + items[i] + "\"";
    return out + "]";
  }

  std::string text_;
  int count_ = 0;
};

template <class T>
const T& nth(const std::vector<T>& items, int i) {
  return items[static_cast<std::size_t>(i) % items.size()];
}

std::string furniture() {
  Lines lines;
  const std::vector<std::string> kinds{"Sofa", "Armchair", "Bookcase", "Dining Table", "Bed Frame", "Desk", "Floor Lamp", "Wardrobe"};
  const std::vector<std::string> colors{"Grey", "Walnut Brown", "White", "Black", "Green", "Blue", "Beige"};
  const std::vector<std::string> materials{"Oak", "Velvet", "Steel", "Pine", "Leather", "Linen", "Glass"};
  const std::vector<std::string> stores{"Nordholm", "Casa Lumina", "Oak & Iron", "Brightwell"};
  const std::vector<std::string> features{"Stackable", "Foldable", "Water resistant", "Easy to assemble with the tools in the box",
                                          "Adjustable shelves"};
  const std::vector<std::string> styles{"Modern", "Rustic", "Scandinavian"};
  for (int i = 0; i < 560; ++i) {
    const std::string& kind = nth(kinds, i);
    const std::string& color = nth(colors, i / 8);
    const std::string& material = nth(materials, i / 8 + i / 56);
    lines.add(nth(stores, i / 3) + " " + color + " " + material + " " + kind, {"Home", "Furniture", kind}, {nth(features, i / 2)},
              {{"Color", color},
               {"Frame Material", material},
               {"Width", std::to_string(60 + i % 12 * 15) + " cm"},
               {"Style", nth(styles, i / 5)},
               {"Assembly required", i / 3 % 3 == 0 ? "Yes" : "No"},
               {"Seating capacity", std::to_string(1 + i % 4)}},
              nth(stores, i / 3), 40 + i * 37 % 900);
  }
  const std::vector<std::string> more{"Bar Stool", "Coffee Table", "Side Table", "Mattress"};
  const std::vector<std::string> sizes{"Twin", "Full", "Queen", "King", "California King"};
  for (int i = 0; i < 160; ++i) {
    const std::string& kind = nth(more, i);
    const std::string& color = nth(colors, i / 4);
    const std::string& material = nth(materials, i / 4 + i / 28);
    Details details{{"Color", color}, {"Frame Material", material}, {"Weight", std::to_string(3 + i * 7 % 38) + " kg"}};
    if (kind == "Mattress") details.emplace_back("Bed Size", nth(sizes, i / 4));
    if (kind == "Bar Stool") details.emplace_back("Set of", std::to_string(1 + i / 4 % 4));
    lines.add(nth(stores, i / 3) + " " + color + " " + material + " " + kind, {"Home", "Furniture", kind}, {nth(features, i / 2)}, details,
              nth(stores, i / 3), 1000 + i * 23 % 600);
  }
  return lines.text();
}

std::string electronics() {
  Lines lines;
  const std::vector<std::string> kinds{"Laptop", "Monitor", "Headphones", "Tablet", "Keyboard"};
  const std::vector<int> hours{5, 8, 12, 20, 30};
  const std::vector<std::string> colors{"Black", "Silver", "White", "Blue"};
  const std::vector<std::string> stores{"Vexa", "Orbit Labs", "Kanto", "Pixel & Pine"};
  const std::vector<std::string> features{"Wireless", "Noise cancelling", "Backlit", "Water resistant", "Fanless"};
  const std::vector<int> memory{8, 16, 32, 64};
  const std::vector<int> screens{13, 15, 24, 27, 32};
  const std::vector<int> rates{60, 75, 120, 144};
  for (int i = 0; i < 500; ++i) {
    const std::string& kind = nth(kinds, i);
    const std::string& color = nth(colors, i / 5);
    Details details{{"Color", color}, {"Connectivity", i / 5 % 2 == 0 ? "Bluetooth" : "USB-C"}, {"Condition", i / 4 % 3 == 0 ? "Refurbished" : "New"}};
    if (kind == "Laptop" || kind == "Tablet") {
      details.emplace_back("Memory", std::to_string(nth(memory, i / 10)) + " GB");
      details.emplace_back("Storage capacity", std::to_string(nth(memory, i / 20) * 32) + " GB");
    }
    if (kind == "Laptop" || kind == "Monitor" || kind == "Tablet")
      details.emplace_back("Screen size", std::to_string(nth(screens, i / 5)) + " inches");
    if (kind == "Monitor") {
      details.emplace_back("Refresh rate", std::to_string(nth(rates, i / 15)) + " Hz");
      details.emplace_back("Rear video ports hdmi 2 1", std::to_string(i / 5 % 4));
    }
    if (kind == "Laptop" || kind == "Headphones") details.emplace_back("Battery life", std::to_string(nth(hours, i / 5)) + " hours");
    if (kind != "Monitor") details.emplace_back("Item weight", std::to_string(150 + i * 31 % 2100) + " g");
    lines.add(nth(stores, i / 7) + " " + color + " " + kind + " " + std::to_string(100 + i), {"Electronics", kind}, {nth(features, i / 3)}, details,
              nth(stores, i / 7), 30 + i * 53 % 1500);
  }
  return lines.text();
}

std::string perfumes() {
  Lines lines;
  const std::vector<std::string> kinds{"Eau de Parfum", "Eau de Toilette", "Body Mist", "Scented Candle"};
  const std::vector<std::string> families{"Floral", "Woody", "Citrus", "Oriental", "Fresh"};
  const std::vector<std::string> notes{"Vanilla", "Sandalwood", "Bergamot", "Jasmine", "Rose", "Musk"};
  const std::vector<std::string> stores{"Maison Clair", "Aurelle", "Fjord Scents"};
  const std::vector<std::string> genders{"Women", "Men", "Unisex"};
  const std::vector<int> volumes{30, 50, 75, 100};
  for (int i = 0; i < 360; ++i) {
    const std::string& kind = nth(kinds, i);
    lines.add(nth(stores, i / 4) + " " + nth(notes, i / 4) + " " + kind, {"Beauty", "Fragrance", kind},
              {"Long lasting", nth(notes, i / 4) + " and " + nth(notes, i / 4 + 1)},
              {{"Scent family", nth(families, i / 4)},
               {"Top note", nth(notes, i / 4)},
               {"Gender", nth(genders, i / 2)},
               {"Volume", std::to_string(nth(volumes, i / 6)) + " ml"}},
              nth(stores, i / 4), 15 + i * 29 % 220);
  }
  return lines.text();
}

std::string cars() {
  Lines lines;
  const std::vector<std::string> bodies{"Hatchback", "Estate", "Sedan", "Van"};
  const std::vector<std::string> makes{"Halden", "Ostara", "Vire", "Brennan & Sons"};
  const std::vector<std::string> fuels{"Petrol", "Diesel", "Hybrid", "Electric"};
  const std::vector<std::string> colors{"Black", "Silver", "Red", "Blue", "Green"};
  const std::vector<std::string> models{"Bora", "Fox", "Lupo", "Vento", "Tiguan", "Passat", "Caddy", "Sharan"};
  const std::vector<int> seats{2, 4, 5, 7};
  const std::vector<std::string> features{"Tow bar", "Heated seats", "Panoramic sunroof", "Parking sensors", "Roof rails"};
  for (int i = 0; i < 400; ++i) {
    const std::string& body = nth(bodies, i);
    const std::string year = std::to_string(2010 + i / 4 % 15);
    lines.add(year + " " + nth(makes, i / 6) + " " + body + " " + nth(fuels, i / 5), {"Vehicles", "Cars", body}, {nth(features, i / 3), nth(features, i / 3 + 2)},
              {{"Make", nth(makes, i / 6)},
               {"Year", year},
               {"Mileage", std::to_string(5 + i * 7 % 200) + "000 km"},
               {"Fuel Type", nth(fuels, i / 5)},
               {"Transmission", i / 7 % 2 == 0 ? "Manual" : "Automatic"},
               {"Exterior Color", nth(colors, i / 9)},
               {"Doors", i / 11 % 2 == 0 ? "3" : "5"},
               {"Previous Owners", std::to_string(1 + i / 13 % 4)},
               {"Model", i % 101 == 3 ? "Golf" : i % 97 == 5 ? "Polo" : nth(models, i / 3)},
               {"Seats", std::to_string(nth(seats, i / 9))},
               {"Horsepower", std::to_string(60 + i * 13 % 240) + " hp"}},
              "Autohaus", 2000 + i * 137 % 30000);
  }
  return lines.text();
}

std::string groceries() {
  Lines lines;
  const std::vector<std::string> kinds{"Coffee", "Chocolate", "Tea", "Jam"};
  const std::vector<std::vector<std::string>> flavors{
      {"Dark Roast", "Hazelnut"}, {"Milk", "Orange", "Dark"}, {"Green", "Black", "Peppermint"}, {"Strawberry", "Apricot", "Cherry"}};
  const std::vector<std::string> stores{"Mill Lane", "Golden Leaf", "Nonna Rosa"};
  const std::vector<std::string> features{"Fair trade", "Sugar free", "Resealable bag", "Nut free", "Decaffeinated"};
  const std::vector<int> packs{1, 2, 6, 12};
  for (int i = 0; i < 320; ++i) {
    const std::string& kind = nth(kinds, i);
    const std::string& flavor = nth(flavors[static_cast<std::size_t>(i % 4)], i / 4);
    lines.add(nth(stores, i / 5) + " " + flavor + " " + kind, {"Grocery", kind}, {nth(features, i / 3)},
              {{"Brand", nth(stores, i / 5)},
               {"Flavor", flavor},
               {"Pack Size", std::to_string(nth(packs, i / 6))},
               {"Calories per Serving", std::to_string(5 + i * 17 % 400)},
               {"Net Weight", std::to_string(100 + i % 5 * 100) + " g"}},
              nth(stores, i / 5), 2 + i * 7 % 40);
  }
  return lines.text();
}

std::string text_of(const std::string& field) {
  if (field == "furniture") return furniture();
  if (field == "electronics") return electronics();
  if (field == "cars") return cars();
  if (field == "groceries") return groceries();
  return perfumes();
}

std::shared_ptr<const Artefact> build(const std::string& field) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("turnstone-trial-" + field + "-" + std::to_string(static_cast<long>(getpid())));
  fs::create_directories(folder);
  std::ofstream(folder / "catalogue.jsonl") << text_of(field);
  IndexOptions options;
  options.write_sqlite = false;
  const auto report = build_index((folder / "catalogue.jsonl").string(), (folder / "index").string(), options);
  if (!report) {
    std::cerr << "the trial catalogue could not be indexed: " << report.error().detail << "\n";
    std::abort();
  }
  auto artefact = Artefact::open((folder / "index").string());
  if (!artefact) {
    std::cerr << "the trial index could not be opened: " << artefact.error().detail << "\n";
    std::abort();
  }
  fs::remove_all(folder);
  return *artefact;
}

}  // namespace

std::shared_ptr<const Artefact> trial_catalogue(const std::string& field) {
  static std::map<std::string, std::shared_ptr<const Artefact>> built;
  auto& artefact = built[field];
  if (!artefact) artefact = build(field);
  return artefact;
}

}  // namespace turnstone

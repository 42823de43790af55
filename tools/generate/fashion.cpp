#include "tools/generate/trade.h"

namespace turnstone {

namespace {

constexpr std::string_view tops =
    "Material=cotton*6,organic cotton,polyester*4,linen*2,viscose*2,modal,95% cotton 5% spandex*2,60% cotton 40% polyester*2|"
    "Neckline@650=crew neck*4,v-neck*3,boat neck,mock neck,henley,square neck|Sleeve length@700=short sleeve*4,long sleeve*4,sleeveless,3/4 sleeve|"
    "Fit@600=regular fit*4,slim fit*3,relaxed fit*2,oversized|Size@550=XS,S*2,M*3,L*3,XL*2,XXL,3XL";
constexpr std::string_view tops_words =
    "Cut from {Material} that stays soft wash after wash|A {Neckline} and {Sleeve length} make it easy to layer|{Fit} that does not pull at the shoulders|"
    "Double-stitched hem, taped shoulder seams";
constexpr std::string_view knits =
    "Material=wool*3,merino wool*2,cashmere,acrylic*3,cotton*3,alpaca blend,wool blend*2|Neckline@600=crew neck*3,v-neck*2,turtleneck*2,shawl collar|"
    "Closure@500=pullover*4,buttons*2,zip*2|Fit@500=regular fit*3,relaxed fit*2,slim fit|Size@550=XS,S*2,M*3,L*3,XL*2,XXL";
constexpr std::string_view knits_words =
    "Knitted from {Material} for warmth without weight|{Neckline} with ribbed cuffs and hem|Wears well over a shirt on cold mornings";
constexpr std::string_view legwear =
    "Material=cotton*3,denim*3,polyester*2,98% cotton 2% elastane*3,nylon,linen,corduroy|Rise@500=mid rise*3,high rise*3,low rise|"
    "Fit@650=slim fit*3,straight fit*3,relaxed fit*2,skinny,wide leg,tapered|Closure@600=zip fly*3,button fly,drawstring*2,elastic waist*2|"
    "Waist size@450=28 inches,30 inches*2,32 inches*3,34 inches*3,36 inches*2,38 inches,40 inches|Number of pockets@300#=2,4*3,5*4,6";
constexpr std::string_view legwear_words =
    "{Rise} and {Fit} through the leg|{Closure} with a reinforced waistband|Made of {Material} that moves with you|Pockets deep enough for a phone";
constexpr std::string_view outerwear =
    "Material=polyester*4,nylon*3,cotton canvas,wool blend*2,waxed cotton,faux leather,leather|Insulation@500=down*2,synthetic fill*3,fleece lined*2,none*2|"
    "Closure@700=full zip*4,buttons*2,snaps,toggles|Hood@500?=true*3,false*2|Water resistance@450=waterproof*2,water resistant*3,not water resistant|"
    "Size@550=XS,S*2,M*3,L*3,XL*2,XXL|Item weight@350=0.6 kg,0.8 kg,1.1 kg,1.4 kg,2.2 pounds,2.9 pounds";
constexpr std::string_view outerwear_words =
    "{Insulation} keeps the wind out|Shell of {Material}, {Water resistance}|{Closure} with a chin guard|Two hand pockets and one inside for papers";
constexpr std::string_view shoes =
    "Material=leather*4,suede*2,canvas*3,mesh*3,synthetic*3,faux leather*2,textile|Sole@600=rubber sole*5,EVA sole*3,leather sole,TPU sole|"
    "Closure@600=lace-up*4,slip-on*3,velcro*2,zip,buckle|Width@400=standard*4,wide*2,narrow,extra wide|Shoe size@500=6,6.5,7*2,7.5,8*2,8.5*2,9*2,9.5,10,10.5,11,12|"
    "Heel height@350=0.5 inches*2,1 inches*3,1.5 inches*2,2.5 inches,3 inches,3.5 inches,7 cm|Water resistance@250=waterproof,water resistant*2";
constexpr std::string_view shoes_words =
    "{Material} upper on a {Sole}|{Closure} for a secure hold|Cushioned footbed that takes long days well|Comes in {Width} width|Padded collar, breathable lining";
constexpr std::string_view bags =
    "Material=leather*3,faux leather*4,nylon*3,canvas*3,polyester*3,recycled polyester|Closure@600=zip*5,magnetic snap*2,drawstring,buckle,roll top|"
    "Capacity@350=5 liters,8 liters,12 liters,18 liters*2,22 liters*2,28 liters,35 liters|Strap type@450=adjustable strap*4,shoulder strap*2,crossbody strap*3,top handle|"
    "Number of compartments@300#=1,2*2,3*3,4,5|Laptop sleeve@200?=true*2,false*2|Water resistance@250=water resistant*3,waterproof";
constexpr std::string_view bags_words =
    "{Material} body with a {Closure} closure|Holds {Capacity} and still looks slim|{Strap type} that can be taken off|Inside pocket for keys and cards";
constexpr std::string_view jewellery =
    "Material=sterling silver*4,gold plated*4,stainless steel*3,14k gold,rose gold plated*2,brass,titanium|Gemstone@400=cubic zirconia*4,freshwater pearl*2,"
    "amethyst,opal,turquoise,moissanite,none*2|Clasp@350=lobster clasp*3,spring ring,push back*2,toggle|Length@300=16 inches*2,18 inches*3,20 inches,24 inches,45 cm|"
    "Hypoallergenic@350?=true*3,false|Gift box@300?=true*3,false";
constexpr std::string_view jewellery_words =
    "Made of {Material}, nickel free|Set with {Gemstone} that catches the light|{Clasp} that stays closed|Arrives in a small box, ready to give";
constexpr std::string_view accessories =
    "Material=cotton*3,wool*3,acrylic*3,polyester*3,leather*2,silk,linen,cashmere|Size@300=one size*5,S,M*2,L*2|Season@350=winter*3,summer*2,all seasons*3";
constexpr std::string_view accessories_words = "Soft {Material} that does not scratch|Right for {Season}|Folds small, travels well";

constexpr KindTable kinds[] = {
    {"t-shirt", "Clothing>T-Shirts", 900, 3500, tops, tops_words},
    {"blouse", "Clothing>Blouses", 1800, 6500, tops, tops_words},
    {"shirt", "Clothing>Shirts", 1900, 7900, tops, tops_words},
    {"polo shirt", "Clothing>Shirts>Polos", 1800, 6900, tops, tops_words},
    {"tank top", "Clothing>Tops>Tanks", 800, 2900, tops, tops_words},
    {"dress", "Clothing>Dresses", 2500, 15900,
     "Material=cotton*3,polyester*4,viscose*3,linen*2,silk,chiffon*2,satin,95% polyester 5% spandex*2|Dress length@650=mini*2,midi*4,maxi*3,knee length*2|"
     "Neckline@600=v-neck*3,round neck*3,off shoulder,halter,square neck*2|Sleeve length@600=sleeveless*3,short sleeve*3,long sleeve*2,puff sleeve|"
     "Size@550=XS,S*2,M*3,L*3,XL*2,XXL|Lined@250?=true*2,false",
     "{Dress length} dress with a {Neckline}|Flowing {Material} that does not cling|Hidden zip at the back|From office to dinner without a change"},
    {"skirt", "Clothing>Skirts", 1900, 7900, "Material=cotton*3,polyester*3,denim*2,wool blend,faux leather,satin|Skirt length@600=mini*2,midi*4,maxi*2,knee length|Size@550=XS,S*2,M*3,L*3,XL",
     "{Skirt length} cut in {Material}|Elastic waist at the back"},
    {"sweater", "Clothing>Sweaters", 2900, 14900, knits, knits_words},
    {"cardigan", "Clothing>Sweaters>Cardigans", 2900, 12900, knits, knits_words},
    {"hoodie", "Clothing>Hoodies & Sweatshirts", 2500, 8900, knits, knits_words},
    {"jeans", "Clothing>Jeans", 2900, 12900, legwear, legwear_words},
    {"chinos", "Clothing>Pants>Chinos", 2900, 8900, legwear, legwear_words},
    {"cargo pants", "Clothing>Pants>Cargo", 2900, 9900, legwear, legwear_words},
    {"shorts", "Clothing>Shorts", 1500, 5900, legwear, legwear_words},
    {"leggings", "Clothing>Leggings", 1400, 7900, "Material=nylon*3,polyester*4,cotton*2,78% nylon 22% spandex*3|Rise@600=high rise*5,mid rise*2|Length@450=full length*4,7/8 length*2,capri|Number of pockets@300#=0,1*2,2*3|Size@550=XS,S*2,M*3,L*3,XL*2",
     "{Rise} waistband that stays up|{Material}, opaque when you bend|Quick drying"},
    {"jacket", "Clothing>Jackets & Coats>Jackets", 4900, 24900, outerwear, outerwear_words},
    {"winter coat", "Clothing>Jackets & Coats>Coats", 8900, 39900, outerwear, outerwear_words},
    {"rain jacket", "Clothing>Jackets & Coats>Rainwear", 4500, 19900, outerwear, outerwear_words},
    {"blazer", "Clothing>Suits & Blazers", 5900, 24900, "Material=wool blend*3,polyester*4,linen*2,cotton*2|Fit@600=slim fit*3,regular fit*3|Closure@500=single breasted*4,double breasted*2|Size@550=36R,38R*2,40R*3,42R*3,44R*2,46R",
     "{Closure} blazer in {Material}|Half lined so that it breathes"},
    {"pajama set", "Clothing>Sleepwear", 2200, 7900, "Material=cotton*4,flannel*2,satin*2,bamboo viscose*2,modal|Pieces@400#=2*5,3,4|Sleeve length@450=short sleeve*2,long sleeve*4|Size@500=S*2,M*3,L*3,XL*2",
     "{Material} that keeps you cool at night|Tops and bottoms can be mixed"},
    {"swimsuit", "Clothing>Swimwear", 1900, 9900, "Material=nylon*4,polyester*4,82% nylon 18% spandex*3|Swimsuit type@600=one piece*4,bikini*3,tankini*2,swim trunks*2|UV protection@350=UPF 30,UPF 50+*3|Size@550=XS,S*2,M*3,L*3,XL",
     "{Swimsuit type} with removable pads|{UV protection} for long days in the sun"},
    {"socks", "Clothing>Socks & Hosiery", 600, 2900, "Material=cotton*4,wool*2,merino wool*2,bamboo viscose,polyester*2|Sock height@500=ankle*3,crew*4,no show*2,knee high|Pack size@500#=1*2,3*4,5*2,6*3,10|Size@350=S,M*3,L*3,XL",
     "Reinforced heel and toe|{Sock height} height, never slips|Packed in sets of {Pack size}"},
    {"running shoes", "Shoes>Athletic>Running", 4900, 17900, shoes, shoes_words},
    {"sneakers", "Shoes>Fashion Sneakers", 3500, 14900, shoes, shoes_words},
    {"hiking boots", "Shoes>Boots>Hiking", 6900, 22900, shoes, shoes_words},
    {"ankle boots", "Shoes>Boots>Ankle", 4900, 18900, shoes, shoes_words},
    {"sandals", "Shoes>Sandals", 1900, 8900, shoes, shoes_words},
    {"loafers", "Shoes>Loafers & Slip-Ons", 3900, 15900, shoes, shoes_words},
    {"heels", "Shoes>Pumps", 3500, 14900, shoes, shoes_words},
    {"slippers", "Shoes>Slippers", 1400, 5900, shoes, shoes_words},
    {"backpack", "Luggage>Backpacks", 2500, 14900, bags, bags_words},
    {"handbag", "Handbags>Shoulder Bags", 2900, 24900, bags, bags_words},
    {"tote bag", "Handbags>Totes", 1900, 14900, bags, bags_words},
    {"crossbody bag", "Handbags>Crossbody", 1900, 12900, bags, bags_words},
    {"wallet", "Accessories>Wallets", 1400, 7900, "Material=leather*5,faux leather*3,nylon,canvas|Card slots@500#=4,6*3,8*4,10*2,12|RFID blocking@500?=true*4,false|Closure@400=bifold*4,zip*2,trifold,snap*2",
     "{Material} that grows nicer with age|Room for {Card slots} cards|{Closure}, slim in a pocket"},
    {"belt", "Accessories>Belts", 1200, 6900, "Material=leather*5,faux leather*3,canvas,elastic|Width@450=25 mm,30 mm*2,35 mm*3,38 mm*2,1.5 inches*2|Buckle@450=pin buckle*4,automatic buckle*2,plate buckle|Size@450=32,34*2,36*3,38*3,40*2,42",
     "{Width} wide with a {Buckle}|{Material}, cut in one piece"},
    {"scarf", "Accessories>Scarves", 1200, 8900, accessories, accessories_words},
    {"beanie", "Accessories>Hats>Beanies", 900, 3900, accessories, accessories_words},
    {"sun hat", "Accessories>Hats>Sun Hats", 1400, 5900, accessories, accessories_words},
    {"gloves", "Accessories>Gloves", 1200, 7900, accessories, accessories_words},
    {"necklace", "Jewelry>Necklaces", 1500, 19900, jewellery, jewellery_words},
    {"earrings", "Jewelry>Earrings", 900, 12900, jewellery, jewellery_words},
    {"bracelet", "Jewelry>Bracelets", 1200, 14900, jewellery, jewellery_words},
    {"ring", "Jewelry>Rings", 1500, 24900, jewellery, jewellery_words},
    {"wrist watch", "Watches>Wrist Watches", 2900, 39900, "Band material=leather*3,stainless steel*4,silicone*3,nylon|Movement@600=quartz*5,automatic*2,solar|Case diameter@500=32 mm,36 mm*2,40 mm*3,42 mm*3,44 mm|Water resistance@500=30 m*3,50 m*3,100 m*2,200 m|Display@450=analog*5,digital*2",
     "{Movement} movement behind hardened glass|{Case diameter} case on a {Band material} band|Keeps water out down to {Water resistance}"},
    {"sunglasses", "Accessories>Sunglasses", 1400, 14900, "Frame material=acetate*3,metal*3,polycarbonate*3,titanium|Lens@500=polarized*4,mirrored*2,gradient*2|Frame shape@500=aviator*3,round*2,square*3,cat eye*2,rectangle|UV protection@450=UV400*5,100% UV*2",
     "{Lens} lenses in a {Frame shape} frame|{UV protection} and scratch resistant"},
};

constexpr TradeTable table = {
    "Apparel & Accessories",
    "Women|Women|Women|Women|Men|Men|Men|Girls|Boys|Unisex",
    "Color@720=black*9,white*6,navy*5,navy blue,grey*4,gray*2,red*4,blue*5,green*4,beige*3,brown*3,pink*3,burgundy*2,olive*2,yellow,orange,purple*2,cream,charcoal,teal,"
    "multicolor|Pattern@420=solid*7,striped*3,floral*3,plaid*2,polka dot,graphic*2,camouflage,animal print|Style@350=casual*5,formal*2,sporty*3,vintage*2,bohemian,classic*3,streetwear|"
    "Occasion@260+=everyday*3,work*2,party*2,wedding,travel*2,gym*2,beach|Care instructions@400=machine wash*4,hand wash only*2,dry clean only,machine wash cold*2|"
    "Country of origin@300=Portugal,Turkey,Vietnam*2,India*2,Italy,Peru,Bangladesh*2",
    "Made for {Occasion}|{Pattern} design in {Color}|{Care instructions}, dries fast|A {Style} piece from {brand}|Backed by {brand} for one year|"
    "Please check the size chart before ordering|Designed for {department}",
    "Classic|Lightweight|Everyday|Essential|Soft|Premium|Vintage|Modern|Slim|Cozy|Breathable|Stretch|Trendy|Quick-Dry|Relaxed",
    kinds,
};

}  // namespace

const TradeTable& fashion_trade() { return table; }

}  // namespace turnstone

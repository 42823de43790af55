#include "tools/generate/trade.h"

namespace turnstone {

namespace {

constexpr std::string_view headphones =
    "Form factor=over ear*4,on ear*2,in ear*4|Connectivity=Bluetooth 5.0*2,Bluetooth 5.3*4,wired 3.5 mm*3,USB-C*2,2.4 GHz wireless|Noise cancelling@600?=true*3,false*3|"
    "Battery life@550=8 hours,20 hours*2,30 hours*3,40 hours*2,60 hours|Microphone@450?=true*5,false|Item weight@400=5 g,55 g,180 g,250 g*2,290 g,0.6 pounds";
constexpr std::string_view headphones_words =
    "{Form factor} fit that stays comfortable for hours|Plays for {Battery life} on a charge|Connects over {Connectivity}|Folds flat into the pouch";
constexpr std::string_view display =
    "Screen size=21.5 inches,23.8 inches*2,24 inches*3,27 inches*5,32 inches*3,34 inches*2,49 inches|Resolution=1920 x 1080*4,2560 x 1440*4,3840 x 2160*3,3440 x 1440*2|"
    "Refresh rate=60 Hz*3,75 Hz*2,100 Hz,144 Hz*3,165 Hz*3,240 Hz|Panel type@700=IPS*5,VA*3,OLED,TN|Brightness@400=250 nits*2,300 nits*3,350 nits,400 nits*2,1000 nits|"
    "Curved@450?=true*2,false*4|HDMI ports@400#=1*2,2*4,3|Height adjustable@400?=true*3,false*2";
constexpr std::string_view display_words =
    "{Screen size} {Panel type} panel at {Resolution}|{Refresh rate} keeps motion sharp|Stand tilts and turns|Blue light filter for long evenings";

constexpr KindTable kinds[] = {
    {"laptop", "Computers>Laptops", 34900, 219900,
     "Screen size=13.3 inches*2,14 inches*4,15.6 inches*5,16 inches*2,17.3 inches|Processor=6-core*3,8-core*4,10-core*2,12-core,14-core|Memory=8 GB*3,16 GB*5,32 GB*3,64 GB|"
     "Storage=256 GB*2,512 GB*5,1 TB*4,1000 GB,2 TB|Operating system@600=none*2,Linux*2,ChromeLike OS,desktop OS*4|Battery life@500=7 hours,9 hours*2,12 hours*3,16 hours,18 hours|"
     "Weight@550=1.1 kg,1.3 kg*2,1.6 kg*3,2.1 kg,2.4 kg,3.5 pounds|Touch screen@450?=true*2,false*4|Backlit keyboard@400?=true*4,false",
     "{Memory} of memory and {Storage} of storage|{Screen size} display in a {Weight} body|Lasts {Battery life} away from the wall|Hinge opens flat"},
    {"gaming laptop", "Computers>Laptops>Gaming", 89900, 299900,
     "Screen size=15.6 inches*4,16 inches*3,17.3 inches*2|Memory=16 GB*5,32 GB*4,64 GB|Storage=512 GB*3,1 TB*5,2 TB*2|Graphics memory=6 GB*2,8 GB*4,12 GB*2,16 GB|"
     "Refresh rate=120 Hz,144 Hz*4,165 Hz*3,240 Hz*2|Weight@500=2.1 kg,2.3 kg*2,2.5 kg*2,5.5 pounds",
     "{Graphics memory} of graphics memory for recent games|{Refresh rate} panel|Two fans, four outlets"},
    {"monitor", "Computers>Monitors", 9900, 89900, display, display_words},
    {"gaming monitor", "Computers>Monitors>Gaming", 15900, 129900, display, display_words},
    {"television", "Home Entertainment>Televisions", 19900, 249900,
     "Screen size=32 inches*2,43 inches*3,50 inches*2,55 inches*4,65 inches*4,75 inches*2|Resolution=1920 x 1080*2,3840 x 2160*6,7680 x 4320|Display technology@700=LED*4,QLED*3,OLED*2|"
     "Refresh rate@600=60 Hz*4,100 Hz*2,120 Hz*3|HDMI ports@500#=2*2,3*4,4*3|Smart TV@500?=true*6,false",
     "{Display technology} picture on {Screen size}|{HDMI ports} HDMI inputs|Thin frame, wall mount ready"},
    {"tablet", "Computers>Tablets", 9900, 89900,
     "Screen size=8 inches*2,10.1 inches*4,10.9 inches*2,11 inches*3,12.9 inches|Storage=32 GB,64 GB*3,128 GB*4,256 GB*3|Memory@600=3 GB,4 GB*4,6 GB*3,8 GB*2|Battery life@450=8 hours,10 hours*4,13 hours|"
     "Pen included@400?=true*2,false*3|Cellular@350?=true,false*4",
     "{Screen size} screen made for reading|{Storage} inside, more by card|Metal back, rounded edges"},
    {"smartphone", "Phones>Smartphones", 12900, 119900,
     "Screen size=5.8 inches,6.1 inches*3,6.5 inches*4,6.7 inches*3|Storage=64 GB*2,128 GB*5,256 GB*4,512 GB|Memory@600=4 GB*2,6 GB*3,8 GB*4,12 GB*2|Battery capacity=4000 mAh*2,4500 mAh*2,5000 mAh*5|"
     "Main camera@550=12 MP*2,48 MP*3,50 MP*4,108 MP|Dual SIM@450?=true*4,false*2|Water resistance@400=IP54*2,IP67*2,IP68*3",
     "{Main camera} camera that sees in the dark|{Battery capacity} battery|{Water resistance} against dust and rain"},
    {"smartwatch", "Wearables>Smartwatches", 3900, 44900,
     "Case size=38 mm,40 mm*2,42 mm*3,44 mm*3,46 mm*2|Battery life@600=18 hours*2,2 days*2,7 days*3,14 days*2|GPS@500?=true*4,false*2|Heart rate@500?=true*6,false|Water resistance@500=3 ATM,5 ATM*5,10 ATM|Band material@400=silicone*5,leather,nylon*2,stainless steel",
     "Counts steps, sleep and heart beats|{Battery life} between charges|{Water resistance}: swim with it"},
    {"headphones", "Audio>Headphones", 1900, 39900, headphones, headphones_words},
    {"gaming headset", "Audio>Headsets", 2900, 24900, headphones, headphones_words},
    {"earbuds", "Audio>Earbuds", 1500, 24900, headphones, headphones_words},
    {"bluetooth speaker", "Audio>Speakers", 1900, 34900,
     "Output power=5 W,10 W*3,20 W*4,30 W*2,60 W,100 W|Battery life@550=8 hours,12 hours*4,20 hours*3,24 hours|Water resistance@500=IPX5*2,IPX7*4,IP67*2|Connectivity=Bluetooth 5.0*3,Bluetooth 5.3*4|Item weight@400=0.4 kg,0.6 kg*2,1.1 kg,1.9 kg,4 pounds",
     "{Output power} that fills a room|{Water resistance} for the poolside|Two of them make stereo"},
    {"soundbar", "Audio>Soundbars", 7900, 59900, "Output power=60 W,100 W*3,200 W*3,300 W*2,500 W|Channels@600=2.0*2,2.1*4,3.1*2,5.1*2|Subwoofer@500?=true*4,false*2|Connectivity@500=HDMI ARC*4,optical*3,Bluetooth 5.0*3",
     "{Channels} channels, {Output power}|Clear voices at low volume"},
    {"mechanical keyboard", "Peripherals>Keyboards", 3900, 19900,
     "Layout=60%*2,65%*2,75%*3,TKL*4,full size*4|Switch type=linear*4,tactile*3,clicky*3|Connectivity=USB-C*5,Bluetooth 5.0*2,2.4 GHz wireless*2|Hot swappable@450?=true*3,false*2|Backlight@500=RGB*5,white*3,none|Keycap material@350=ABS*3,PBT*4",
     "{Switch type} switches in a {Layout} layout|{Keycap material} keycaps that do not shine|Feet at two heights"},
    {"keyboard", "Peripherals>Keyboards", 1200, 8900, "Layout=full size*5,TKL*2,compact*2|Connectivity=wired USB*5,2.4 GHz wireless*4,Bluetooth 5.0*2|Backlight@300=white*2,none*4|Spill resistant@350?=true*3,false*2",
     "Quiet keys, {Layout} layout|Works over {Connectivity}"},
    {"mouse", "Peripherals>Mice", 900, 12900, "Connectivity=wired USB*4,2.4 GHz wireless*5,Bluetooth 5.0*3|Maximum DPI=1600*2,3200*2,8000*2,16000*3,26000*2|Buttons@550#=3*3,5*3,6*4,8*2,11|Hand@300=right handed*4,ambidextrous*3,left handed|Weight@400=55 g,62 g*2,75 g*2,98 g,120 g",
     "{Maximum DPI} DPI sensor|{Buttons} buttons, all programmable|{Weight} light in the hand"},
    {"webcam", "Peripherals>Webcams", 1900, 19900, "Resolution=1280 x 720*2,1920 x 1080*6,2560 x 1440*2,3840 x 2160|Frame rate@500=30 fps*5,60 fps*3|Autofocus@450?=true*4,false*3|Microphone@450?=true*6,false|Field of view@350=65 degrees,78 degrees*3,90 degrees*3",
     "{Resolution} at {Frame rate}|Sliding cover for privacy"},
    {"usb microphone", "Audio>Microphones", 2900, 24900, "Polar pattern=cardioid*6,omnidirectional*2,bidirectional|Sample rate@450=48 kHz*5,96 kHz*3,192 kHz*2|Connectivity=USB-C*6,XLR*2|Mute button@400?=true*5,false",
     "{Polar pattern} capsule keeps the room out|Stand and pop filter in the box"},
    {"solid state drive", "Components>Storage>SSD", 2900, 29900, "Capacity=250 GB*2,500 GB*4,1 TB*5,1000 GB,2 TB*3,4 TB|Interface=SATA*3,PCIe 3.0*3,PCIe 4.0*5,PCIe 5.0|Form factor=2.5 inch*3,M.2 2280*6,M.2 2230|Read speed@600=550 MB/s*3,3500 MB/s*3,5000 MB/s*2,7000 MB/s*3|Endurance@350=150 TBW,300 TBW*2,600 TBW*3,1200 TBW",
     "Reads at {Read speed}|{Capacity} on a {Form factor} stick|Five years of warranty"},
    {"memory kit", "Components>Memory", 2400, 39900, "Capacity=8 GB*2,16 GB*4,32 GB*5,64 GB*3,128 GB|Memory type=DDR4*4,DDR5*5|Speed=2666 MHz,3200 MHz*4,3600 MHz*2,5600 MHz*3,6000 MHz*4|Modules@600#=1*2,2*6,4|CAS latency@450#=16*3,18*3,30*2,32,36*2,40|RGB@350?=true*2,false*3",
     "{Capacity} {Memory type} at {Speed}|Low heat spreader, fits under big coolers"},
    {"graphics card", "Components>Graphics Cards", 14900, 179900, "Graphics memory=4 GB,6 GB*2,8 GB*5,12 GB*3,16 GB*3,24 GB|Memory type@500=GDDR6*6,GDDR6X*2|Power draw=75 W,130 W*2,170 W*2,200 W*2,285 W*2,450 W|Length@500=170 mm,240 mm*2,285 mm*3,320 mm*2|HDMI ports@400#=1*5,2*2|Slots@350=2 slots*4,2.5 slots*2,3 slots*2",
     "{Graphics memory} for high textures|Needs {Power draw}, {Length} long|Fans stop at idle"},
    {"processor", "Components>Processors", 8900, 69900, "Cores#=4*2,6*5,8*5,10*2,12*2,16*2,24|Threads@700#=8*2,12*4,16*5,20,24*2,32*2|Base clock@600=2.9 GHz,3.2 GHz*2,3.4 GHz*3,3.7 GHz*3,4.2 GHz*2|Power draw=65 W*5,105 W*3,125 W*3,170 W|Cooler included@400?=true*3,false*3",
     "{Cores} cores for work and play|{Base clock} before boost|Draws {Power draw}"},
    {"motherboard", "Components>Motherboards", 7900, 59900, "Form factor=ATX*5,Micro ATX*4,Mini ITX*2,E-ATX|Memory type=DDR4*4,DDR5*5|Memory slots@600#=2*3,4*6|M.2 slots@550#=1*2,2*4,3*2,4|Wi-Fi@500?=true*4,false*3",
     "{Form factor} board with {Memory slots} memory slots|{M.2 slots} fast drives fit"},
    {"power supply", "Components>Power Supplies", 4900, 29900, "Wattage=450 W*2,550 W*3,650 W*4,750 W*5,850 W*4,1000 W*2,1200 W|Efficiency=80+ Bronze*4,80+ Gold*6,80+ Platinum*2|Modular@550=full*5,semi*2,none*3|Form factor@450=ATX*6,SFX*2",
     "{Wattage} at {Efficiency}|{Modular} modular cabling|Fan runs only when needed"},
    {"pc case", "Components>Cases", 4900, 24900, "Form factor=mid tower*6,full tower*2,mini tower*2,small form factor*2|Side panel@500=tempered glass*6,steel*3,acrylic|Fans included@450#=0,1*2,2*2,3*4,4|Maximum GPU length@450=320 mm*2,360 mm*3,400 mm*3,435 mm",
     "{Form factor} with a {Side panel} side|{Fans included} fans in the box|Dust filters that pull out"},
    {"wireless router", "Networking>Routers", 3900, 39900, "Wi-Fi standard=Wi-Fi 5*3,Wi-Fi 6*5,Wi-Fi 6E*2,Wi-Fi 7|Bands@500=dual band*6,tri band*3|LAN ports@450#=2,3*2,4*6|Coverage@350=1200 sq ft,1500 sq ft*3,2000 sq ft*3,3000 sq ft",
     "{Wi-Fi standard} on {Bands}|Covers {Coverage}|Set up from a phone"},
    {"power bank", "Accessories>Power Banks", 1500, 9900, "Battery capacity=5000 mAh*2,10000 mAh*5,20000 mAh*5,26800 mAh|Output power@600=10 W,18 W*3,22.5 W*3,30 W,65 W*2|Ports@450#=1,2*4,3*4|Wireless charging@350?=true*2,false*4|Weight@350=180 g*2,220 g*2,350 g*2,0.9 pounds",
     "{Battery capacity}: two to five full charges|{Output power} out, {Ports} ports"},
    {"wall charger", "Accessories>Chargers", 900, 6900, "Output power=18 W,20 W*4,30 W*3,45 W*2,65 W*4,100 W*2|Ports@600#=1*4,2*4,3*3,4|Technology@450=GaN*5,silicon*3|Foldable plug@350?=true*3,false*2",
     "{Output power} from {Ports} ports|{Technology} keeps it small and cool"},
    {"usb cable", "Accessories>Cables", 500, 2900, "Connector=USB-C to USB-C*5,USB-A to USB-C*4,USB-C to HDMI*2,USB-A to micro USB*2|Length=0.5 m,1 m*4,2 m*4,3 m*2,6 ft*3,10 ft|Maximum power@400=15 W,60 W*4,100 W*3,240 W|Braided@400?=true*3,false*2",
     "{Connector}, {Length} long|Bends thousands of times"},
    {"security camera", "Smart Home>Cameras", 2400, 24900, "Resolution=1920 x 1080*4,2304 x 1296*2,2560 x 1440*3,3840 x 2160|Power source@500=battery*3,wired*4,solar*2|Night vision@450?=true*6,false|Outdoor@450?=true*4,false*3|Storage@350=microSD*4,cloud*3",
     "{Resolution} day and night|{Power source} powered|Tells people from passing cars"},
    {"printer", "Office>Printers", 5900, 49900, "Print technology=inkjet*5,laser*4,thermal|Color printing@600?=true*4,false*3|Print speed@500=8 ppm,15 ppm*2,22 ppm*3,30 ppm*2,40 ppm|Duplex@450?=true*3,false*2|Connectivity@500=Wi-Fi*5,USB*4,Ethernet*2",
     "{Print technology} at {Print speed}|Prints from the phone over {Connectivity}"},
    {"digital camera", "Cameras>Digital Cameras", 19900, 249900, "Sensor=1/2.3 inch*2,1 inch*2,APS-C*5,full frame*3|Resolution=16 MP,20 MP*3,24 MP*5,33 MP*2,45 MP|Video@500=1080p*3,4K*6,8K|Stabilization@400?=true*4,false*3|Weight@400=290 g,390 g*2,510 g*2,690 g,1.5 pounds",
     "{Sensor} sensor with {Resolution}|{Video} video without a time limit"},
};

constexpr TradeTable table = {
    "Electronics",
    "",
    "Color@650=black*10,white*5,silver*4,space grey*2,grey*2,gray,blue*3,red*2,pink,green,rose gold|Material@250=aluminium*3,plastic*4,ABS plastic,steel,carbon fibre|"
    "Warranty@350=1 year*4,2 years*4,3 years*2,24 months,5 years|Use@240+=gaming*3,office*3,travel*2,streaming*2,home*3|Release year@300#=2019,2020,2021*2,2022*3,2023*4,2024*3|Energy class@150=A,B,C,D,E*2,F",
    "Built for {Use}|In {Color} to match the desk|{brand} gives {Warranty} of warranty|Plug in and go, no software needed|Quick start guide in six languages",
    "Pro|Ultra|Slim|Compact|Advanced|Essential|Performance|Portable|Wireless|Silent|Studio|Max|Lite|Smart|High-Speed",
    kinds,
};

}  // namespace

const TradeTable& electronics_trade() { return table; }

}  // namespace turnstone

import Glibc
import Longwave
import Wire

/// The custom properties of base.css for the house's colour, by the rules of `palette` in shared/colour.js: the colour
/// gives hue and chroma, and lightness is ours, so that text stays readable.
struct Palette {
  let hue: Double
  let tintDark: Double
  let tintLight: Double
  let accentChroma: Double
  let accentDark: Double
  let accentLight: Double

  /// Below this chroma a colour is grey to the eye; of dark ones, which screens show with less, below half of it.
  private static let greyChroma = 0.035
  /// Hue of base.css, for the little colour that a grey page has.
  private static let hueOfGrey = 250.0
  /// WCAG 2.2, 1.4.3: text of usual size.
  static let contrastMin = 4.5

  init(_ colour: WebColour) {
    let lab = Oklab(colour)
    let isGrey = lab.chroma < Self.greyChroma * min(1, max(0.5, 2 * lab.lightness))
    hue = isGrey ? Self.hueOfGrey : lab.hue
    let chroma = isGrey ? 0 : lab.chroma
    accentChroma = isGrey ? 0 : min(0.15, max(0.07, chroma))
    tintDark = min(0.05, chroma * 0.4)
    tintLight = min(0.03, chroma * 0.25)
    // The lightest dark ground and the darkest light one: --glow of base.css.
    let dark = Oklab.luminance(0.29, tintDark * 1.6, hue)
    let light = Oklab.luminance(0.93, tintLight, hue)
    var (above, below) = (0.78, 0.5)
    while Self.contrast(Oklab.luminance(above, accentChroma, hue), dark) < Self.contrastMin,
      above < 0.94
    {
      above += 0.02
    }
    while Self.contrast(Oklab.luminance(below, accentChroma, hue), light) < Self.contrastMin,
      below > 0.3
    {
      below -= 0.02
    }
    (accentDark, accentLight) = (above, below)
  }

  /// Returns the contrast of two relative luminances.
  static func contrast(_ one: Double, _ other: Double) -> Double {
    (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  /// The ground of pages, `--bg` of base.css, dark and light, as `#10161d`: for what takes no `oklch()`.
  var grounds: (dark: String, light: String) {
    (Oklab.hex(0.2, tintDark, hue), Oklab.hex(0.975, tintLight * 0.6, hue))
  }

  /// The style sheet. `--house` says to scripts that there is a colour of the house.
  var css: String {
    let properties = [
      ("hue", hue), ("tint-dark", tintDark), ("tint-light", tintLight),
      ("accent-chroma", accentChroma), ("accent-dark", accentDark), ("accent-light", accentLight),
    ]
    let lines = properties.map { name, value in
      "--\(name): \(JSON.decimal((value * 10_000).rounded() / 10_000));"
    }
    return ":root { --house: 1; \(lines.joined(separator: " ")) }\n"
  }
}

/// A colour by Björn Ottosson's Oklab of 2020, as CSS Color 4 has it.
struct Oklab {
  let lightness: Double
  let chroma: Double
  /// Degrees.
  let hue: Double

  init(_ colour: WebColour) {
    let (r, g, b) = (
      Self.linear(colour.red), Self.linear(colour.green), Self.linear(colour.blue)
    )
    let l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    let m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    let s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
    let one = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
    let other = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
    chroma = hypot(one, other)
    let degrees = atan2(other, one) * 180 / .pi
    hue = degrees < 0 ? degrees + 360 : degrees
  }

  private static func linear(_ byte: UInt8) -> Double {
    byte <= 10 ? Double(byte) / 255 / 12.92 : pow((Double(byte) / 255 + 0.055) / 1.055, 2.4)
  }

  /// Returns WCAG's relative luminance of an `oklch()` colour, clipped to what a screen shows.
  static func luminance(_ lightness: Double, _ chroma: Double, _ hue: Double) -> Double {
    let (red, green, blue) = rgb(lightness, chroma, hue)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  /// Returns an `oklch()` colour as six digits behind a number sign, clipped to what a screen shows.
  static func hex(_ lightness: Double, _ chroma: Double, _ hue: Double) -> String {
    func byte(_ linear: Double) -> UInt8 {
      let level = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
      return UInt8(clamping: Int(bounded: (level * 255).rounded()))
    }
    let (red, green, blue) = rgb(lightness, chroma, hue)
    return "#" + [byte(red), byte(green), byte(blue)].hexadecimal
  }

  /// Returns an `oklch()` colour's linear parts from 0 to 1, clipped to what a screen shows.
  private static func rgb(
    _ lightness: Double, _ chroma: Double, _ hue: Double
  ) -> (Double, Double, Double) {
    let (one, other) = (chroma * cos(hue * .pi / 180), chroma * sin(hue * .pi / 180))
    let l = pow(lightness + 0.3963377774 * one + 0.2158037573 * other, 3)
    let m = pow(lightness - 0.1055613458 * one - 0.0638541728 * other, 3)
    let s = pow(lightness - 0.0894841775 * one - 1.291485548 * other, 3)
    func clip(_ value: Double) -> Double { min(1, max(0, value)) }
    let red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
    let green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
    let blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
    return (red, green, blue)
  }
}

/// Names of artists and songs, made of small lists of words.
enum SongName {
  /// Returns a name such as "Paper Lanterns – Letters from the Coast".
  static func invent(_ dice: inout Dice) -> String {
    let artist = "\(dice.pick(characters)) \(dice.pick(bands))"
    let song =
      switch dice.between(0, 3) {
      case 0: "\(dice.pick(moods)) \(dice.pick(things))"
      case 1: "\(dice.pick(things)) at \(dice.pick(times))"
      case 2: "\(dice.pick(doings)) \(dice.pick(places))"
      default: "The \(dice.pick(owners))’s \(dice.pick(belongings))"
      }
    return "\(artist) – \(song)"
  }

  private static let characters = [
    "Velvet", "Paper", "Northern", "Quiet", "Copper", "Harbour", "Café", "Winter", "Slow", "Amber",
    "Second", "Midnight", "Glass", "Distant", "Señor", "Little",
  ]
  private static let bands = [
    "Lanterns", "Antenna", "Foxes", "Signal", "Tides", "Orchard", "Telegraph", "Ensemble", "Trio",
    "Weather", "Carousel", "Society", "Möwe", "Parade", "Lighthouse", "Radio",
  ]
  private static let moods = [
    "Silver", "Patient", "Open", "Hidden", "Early", "Blue", "Unsent", "Drifting", "Warm", "Other",
  ]
  private static let things = [
    "Rivers", "Letters", "Windows", "Shadows", "Trains", "Clouds", "Stations", "Gardens",
    "Rooftops",
    "Snow",
  ]
  private static let times = [
    "Dawn", "Six", "Low Tide", "Noon", "the Equinox", "Closing Time", "Dusk", "Sea",
  ]
  private static let doings = [
    "Leaving", "Towards", "Postcards from", "Letters from", "Over", "Asleep in", "Back to",
    "Lost in",
  ]
  private static let places = [
    "the Coast", "Lisbon", "the Long Wave", "Reykjavík", "the Valley", "Platform Nine", "the Sound",
    "Trieste", "the Ionosphere", "Orkney",
  ]
  private static let owners = [
    "Keeper", "Swimmer", "Gardener", "Night Watchman", "Cartographer", "Sailor", "Stranger",
    "Tuner",
  ]
  private static let belongings = [
    "Light", "Waltz", "Map", "Daughter", "Compass", "Lullaby", "Dial", "Return",
  ]
}

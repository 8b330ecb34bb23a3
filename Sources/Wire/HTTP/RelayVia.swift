/// The logs that audio has come through, nearest first. A relay that finds its own among them would hear itself.
public enum RelayVia {
  /// The most logs told and read: no sensible chain of relays is as long.
  public static let countMax = 14

  /// Reads ids parted by commas; what is none is left out.
  public static func read(_ text: String) -> [LogID] {
    text.split(separator: ",").prefix(countMax).compactMap { item in
      LogID(item.drop { $0 == " " })
    }
  }

  public static func text(_ logs: [LogID]) -> String {
    logs.prefix(countMax).map(\.description).joined(separator: ", ")
  }
}

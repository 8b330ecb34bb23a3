/// Names of pictures that lie beside the music, as other players know them.
public enum CoverNames {
  /// The first that is there counts.
  public static let all = ["cover", "folder", "front"].flatMap { name in
    [name, name.prefix(1).uppercased() + name.dropFirst()].flatMap { name in
      ["jpg", "jpeg", "png", "webp", "gif"].map { "\(name).\($0)" }
    }
  }

  /// The most bytes of a picture that is shown.
  public static let bytesMax: UInt64 = 10 << 20

  private static let names = Set(all.map { Array($0.utf8) })

  static func has(_ name: some Sequence<UInt8>) -> Bool { names.contains(Array(name)) }
}

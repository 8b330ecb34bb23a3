import Wire

/// What is kept of a root over a restart.
public struct RootMemory: Hashable, Sendable {
  /// The device on which the root was.
  public var device: UInt64
  /// Number of files that it had, whether they can be played or not.
  public var files: Int
  /// When it was looked through and believed, in seconds since 1970.
  public var scanned: Int64
  public var state: RootState

  public init(device: UInt64, files: Int, scanned: Int64, state: RootState) {
    (self.device, self.files, self.scanned, self.state) = (device, files, scanned, state)
  }
}

/// How a root is.
public enum RootState: String, Hashable, Sendable, CaseIterable {
  case ok
  /// It is looked through for the first time.
  case scanning
  /// What is found in it is not believed: nothing that was known is forgotten.
  case suspect
  /// There is nothing at its path, and never was.
  case missing
  /// It is there and cannot be looked into.
  case unreadable

  /// Whether the content of the last look is what the root has.
  public var isTrusted: Bool { self == .ok || self == .scanning }
}

/// Why a look at a root is not believed. A share that is away looks like a folder whose files were deleted.
public struct RootDoubt: Hashable, Sendable {
  public var state: RootState
  public var reason: String

  public init(state: RootState, reason: String) { (self.state, self.reason) = (state, reason) }

  /// Half of fewer files may well have been deleted.
  private static let manyFiles = 100

  /// Returns why a look is not believed; nil when it is.
  ///
  /// - Parameter memory: what is kept of the root; nil for one that was never looked through.
  public static func of(_ look: MusicLook, _ memory: RootMemory?) -> RootDoubt? {
    // Folders that were looked at since may have brought more.
    let had = max(memory?.files ?? 0, look.knew)
    let tail =
      had > 0
      ? ", and had \(NumberText.grouped(had)) file\(had == 1 ? "" : "s"); nothing is forgotten" : ""
    switch look.trouble {
    case .missing(let reason):
      return RootDoubt(state: had > 0 ? .suspect : .missing, reason: "is away: \(reason)" + tail)
    case .unreadable(let reason):
      return RootDoubt(state: .unreadable, reason: "cannot be looked into: \(reason)" + tail)
    case .replaced:
      return RootDoubt(state: .suspect, reason: MusicLook.Trouble.replaced.words + tail)
    case .short, .ended, nil: break
    }
    guard look.trouble == nil, had > 0 else { return nil }
    let found = look.folder.files.count + look.folder.refused.count
    if found == 0 { return RootDoubt(state: .suspect, reason: "is empty" + tail) }
    // A machine that was started again may number its devices anew: then the files say that they are the same.
    let isSame = look.knew == 0 ? found == had : Double(look.same) >= 0.9 * Double(look.knew)
    if let memory, look.device != memory.device, !isSame {
      return RootDoubt(state: .suspect, reason: "is on another disk than before" + tail)
    }
    if had > manyFiles, found <= had / 2 {
      return RootDoubt(state: .suspect, reason: "has \(NumberText.grouped(found)) files" + tail)
    }
    return nil
  }
}

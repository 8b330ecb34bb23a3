import Library
import Settings
import Store
import Timeshift
import Wire

// What is asked for over the API.
extension CollectionDesk {
  /// What is added to a collection.
  public struct NewMembers: Sendable {
    public var tracks: [TrackKey] = []
    public var urls: [String] = []
    public var collections: [String] = []
    /// The member in front of which they stand; nil: at the end.
    public var before: Int64?

    public init() {}

    /// Bytes of a URL.
    private static let urlBytesMax = 2048

    /// Whether a member may be at a URL.
    public static func isURL(_ url: String) -> Bool {
      WebURL.isValid(url) && url.utf8.count <= urlBytesMax
    }
  }

  /// Makes a collection.
  ///
  /// - Parameter rule: as JSON; nil of a list.
  public func create(
    _ id: String, name: String? = nil, rule: String? = nil
  ) async throws(RelayError) -> CollectionView {
    if let problem = Self.problem(with: id) { throw RelayError.badField("collection", problem) }
    try Self.check(name)
    let rule = try await checked(rule, of: id)
    let stored = try await refusable(id) {
      try await store.addCollection(id, name: name, rule: rule, at: Moment.now().wall)
    }
    await tellChange()
    return view(stored, try await counted(stored).count, await uses())
  }

  /// - Parameters:
  ///   - name: nil: as it is; nil inside: its id.
  ///   - rule: nil: as it is.
  public func change(
    _ id: String, name: String?? = nil, rule: String? = nil
  ) async throws(RelayError) -> CollectionView {
    let before = try await required(id)
    if rule != nil, before.rule == nil {
      throw RelayError.badField("rule", "\(id) is a list; make another collection for the rule")
    }
    try Self.check(name ?? nil)
    let rule = try await checked(rule, of: id)
    try await refusable(id) {
      try await store.changeCollection(id, name: name, rule: rule, at: Moment.now().wall)
    }
    await tellChange()
    let changed = try await required(id)
    return view(changed, try await counted(changed).count, await uses())
  }

  public func remove(_ id: String) async throws(RelayError) {
    _ = try await required(id)
    let stations = await uses().stations(playing: id)
    if !stations.isEmpty { throw RelayError.collectionInUse(id, stations: stations) }
    try await refusable(id) { try await store.removeCollection(id) }
    await tellChange()
  }

  /// Adds members to a list; `favourites` is made where there is none.
  public func add(_ new: NewMembers, to id: String) async throws(RelayError) -> CollectionView {
    var members: [StoredMember] = []
    if !new.tracks.isEmpty { await awaitMusic() }
    var known: Set<TrackKey> = []
    for key in new.tracks where id != Self.favourites || known.insert(key).inserted {
      guard let file = index.files[key] else { throw RelayError.unknownTrack(key.description) }
      members.append(StoredMember(file))
    }
    members += new.urls.map { StoredMember(.url($0)) }
    for child in new.collections {
      let rule = try await required(child).rule.flatMap { try? CollectionRule($0) }
      if rule?.collections.contains(id) == true { throw RelayError.circle([id, child, id]) }
    }
    members += new.collections.map { StoredMember(.collection($0)) }
    try await makeFavourites(id)
    // A favourite that is added again is the newest then, and no second one.
    try await store(members, in: id, before: new.before, replacing: known)
    await tellChange()
    return try await show(id)
  }

  func add(
    _ members: [StoredMember], to id: String, before: Int64? = nil
  ) async throws(RelayError) {
    try await store(members, in: id, before: before)
    await tellChange()
  }

  /// Adds members, and tells nobody.
  ///
  /// - Parameter older: tracks that are taken out in return.
  func store(
    _ members: [StoredMember], in id: String, before: Int64? = nil,
    replacing older: Set<TrackKey> = []
  ) async throws(RelayError) {
    let stored = try await required(id)
    if stored.rule != nil {
      throw RelayError.badField("collection", "\(id) is a rule, which says itself what is in it")
    }
    _ = try await refusable(id) {
      try await store.addMembers(
        members, to: id, before: before, replacing: older, at: Moment.now().wall)
    }
  }

  func makeFavourites(_ id: String) async throws(RelayError) {
    guard id == Self.favourites else { return }
    let found = try await RelayError.attempt { try await store.collection(id) }
    if found != nil { return }
    do throws(RelayError) {
      _ = try await refusable(id) {
        try await store.addCollection(id, name: nil, rule: nil, at: Moment.now().wall)
      }
    } catch {
      // Somebody has made it meanwhile.
      guard case .collectionExists = error else { throw error }
    }
  }

  public func remove(member: Int64, of id: String) async throws(RelayError) {
    _ = try await required(id)
    try await refusable(id) {
      try await store.removeMember(member, of: id, at: Moment.now().wall)
    }
    await tellChange()
  }

  /// - Parameter before: nil: to the end.
  public func move(
    member: Int64, of id: String, before: Int64?
  ) async throws(RelayError) -> CollectionView {
    _ = try await required(id)
    try await refusable(id) {
      try await store.moveMember(member, of: id, before: before, at: Moment.now().wall)
    }
    await tellChange()
    return try await show(id)
  }

  // MARK: Checks

  /// Names are as ids of stations are, and none of what a source is written as otherwise.
  private static func problem(with id: String) -> String? { StationID.problem(id) }

  /// What people call a collection is one line of at most 200 characters.
  private static let named = ValueRule.text(max: 200)

  private static func check(_ name: String?) throws(RelayError) {
    guard let name else { return }
    let isBlank = name.unicodeScalars.allSatisfy {
      // Braille has a letter without a dot.
      $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint || $0 == "\u{2800}"
        || [.control, .format].contains($0.properties.generalCategory)
    }
    if isBlank { throw RelayError.badField("name", "is empty; write a name, or null for none") }
    do throws(InvalidValue) { _ = try named.parse(name) } catch {
      throw RelayError.badField("name", error.message)
    }
  }

  /// Returns a rule as it is stored.
  private func checked(_ rule: String?, of id: String) async throws(RelayError) -> String? {
    guard let rule else { return nil }
    let read: CollectionRule
    do throws(CollectionRule.Problem) {
      read = try CollectionRule(rule)
    } catch {
      throw RelayError.badRule("\(error)")
    }
    if read.collections.contains(id) { throw RelayError.circle([id, id]) }
    for name in read.collections.sorted() {
      let found = try await required(name)
      // A rule that asks for a rule could ask for itself.
      if found.rule != nil {
        throw RelayError.badRule("inCollection: \(name) is a rule itself; name a list")
      }
    }
    return read.text
  }

  private func refusable<Value>(
    _ id: String, _ work: () async throws -> Value
  ) async throws(RelayError) -> Value {
    do {
      return try await work()
    } catch let refusal as CollectionRefusal {
      throw RelayError(refusal, of: id)
    } catch let error as RelayError {
      throw error
    } catch {
      throw RelayError.failed(by: error)
    }
  }
}

extension RelayError {
  fileprivate init(_ refusal: CollectionRefusal, of id: String) {
    switch refusal {
    case .unknown(let name): self = .unknownCollection(name, near: nil)
    case .exists(let name): self = .collectionExists(name)
    case .unknownMember(let member): self = .unknownMember(member, of: id)
    case .circle(let way): self = .circle(way)
    case .tooDeep:
      self = .badField(
        "collections", "would be more than \(CollectionTable.depthMax) deep in each other")
    case .tooManyMembers:
      self = .badField("tracks", "are too many; a collection has \(CollectionTable.membersMax)")
    case .tooManyCollections:
      self = .badField(
        "collection", "is one too many; there are \(CollectionTable.collectionsMax)")
    }
  }
}

extension StoredMember {
  init(_ file: MusicFile) {
    self.init(
      .track(file.key), title: file.title, artist: file.artist.isEmpty ? nil : file.artist,
      seconds: file.heardSeconds, path: file.absolutePath)
  }
}

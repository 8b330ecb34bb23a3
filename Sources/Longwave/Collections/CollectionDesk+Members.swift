import Library
import Settings
import Store
import Threads
import Timeshift
import Wire

// What is in collections.
extension CollectionDesk {
  /// Returns the tracks and URLs of a collection in its order, with those of collections in it.
  func expanded(_ id: String) async throws(RelayError) -> [StoredMember] {
    var expansion = Expansion(hasNames: true)
    return try await expand(id, depth: 1, &expansion)
  }

  /// Returns the tracks of a collection in its order, with those of collections in it.
  func tracks(in id: String) async throws(RelayError) -> [TrackKey] {
    var expansion = Expansion()
    return try await tracks(in: id, &expansion)
  }

  /// - Parameter expansion: what was expanded before for the same answer.
  func tracks(
    in id: String, _ expansion: inout Expansion
  ) async throws(RelayError) -> [TrackKey] {
    try await expand(id, depth: 1, &expansion).compactMap(\.track)
  }

  /// What is known while a collection is expanded: each one in it costs once, however often it stands there.
  struct Expansion {
    /// Whether members have more than their contents.
    var hasNames = false
    /// The collections' version that it is of.
    var version: Int?
    /// Whether a rule was asked, which may find something else a moment later.
    var hasRules = false
    /// Whether something was left out, so that what stands elsewhere may have more.
    fileprivate var isCut = false
    fileprivate var known: [Place: (members: [StoredMember], hasRules: Bool)] = [:]
    /// Those that are being expanded: what is in itself is left out.
    fileprivate var open: Set<String> = []

    /// Where a collection stands; at any depth it has the same, unless something of it was left out.
    fileprivate struct Place: Hashable {
      var id: String
      var depth: Int?
    }
  }

  private func expand(
    _ id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [StoredMember] {
    let place = Expansion.Place(id: id, depth: depth)
    if let known = expansion.known[.init(id: id)] ?? expansion.known[place] {
      if known.hasRules { expansion.hasRules = true }
      if expansion.known[place] != nil { expansion.isCut = true }
      return known.members
    }
    guard depth <= CollectionTable.depthMax, expansion.open.insert(id).inserted else {
      expansion.isCut = true
      return []
    }
    let (hadRules, wasCut) = (expansion.hasRules, expansion.isCut)
    (expansion.hasRules, expansion.isCut) = (false, false)
    defer {
      expansion.open.remove(id)
      if hadRules { expansion.hasRules = true }
      if wasCut { expansion.isCut = true }
    }
    let found = try await required(id)
    var all: [StoredMember] = []
    if let rule = found.rule {
      expansion.hasRules = true
      all = try await tracks(of: rule, in: id, depth: depth, &expansion)
        .map { StoredMember(.track($0)) }
    } else {
      let hasNames = expansion.hasNames
      let members = try await RelayError.attempt {
        try await store.members(of: id, hasNames: hasNames)
      }
      for member in members {
        if case .collection(let child) = member.content {
          all += try await expandIfThere(child, depth: depth + 1, &expansion)
        } else {
          all.append(member)
        }
        if all.count >= CollectionTable.membersMax { break }
      }
    }
    if all.count > CollectionTable.membersMax {
      all.removeLast(all.count - CollectionTable.membersMax)
    }
    expansion.known[expansion.isCut ? place : .init(id: id)] = (all, expansion.hasRules)
    return all
  }

  /// A collection in another one that is gone has nothing.
  private func expandIfThere(
    _ id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [StoredMember] {
    do throws(RelayError) {
      return try await expand(id, depth: depth, &expansion)
    } catch {
      if case .unknownCollection = error { return [] }
      throw error
    }
  }

  private func tracks(
    of rule: String, in id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [TrackKey] {
    // A rule that was written by another version may not be understood.
    guard let rule = try? CollectionRule(rule) else { return [] }
    var lists: [String: Set<TrackKey>] = [:]
    for name in rule.collections {
      let members = try await expandIfThere(name, depth: depth + 1, &expansion)
      lists[name] = Set(members.compactMap(\.track))
    }
    let seed = id.utf8.reduce(Int64(5381)) { $0 &* 33 &+ Int64($1) }
    let around = CollectionRule.Surroundings(
      now: Moment.now().wall, seed: seed, lists: lists, roots: rootNames)
    // Costs more than an actor may take from others.
    return await Blocking.run { [files = index.files] in
      rule.files(of: files.values, around).map(\.key)
    }
  }

  /// Returns a collection, or throws with the name that is nearest.
  func required(_ id: String) async throws(RelayError) -> StoredCollection {
    if let found = try await RelayError.attempt({ try await store.collection(id) }) { return found }
    let all = try await RelayError.attempt { try await store.collections() }
    throw RelayError.unknownCollection(
      id, near: KeySuggestion.nearest(to: id, among: all.map(\.id)))
  }

  /// What is played by whom, worked out once for an answer.
  func uses() async -> CollectionUses {
    var uses = CollectionUses(users: await users())
    if uses.users.isEmpty { return uses }
    uses.around = (try? await store.collectionsAround()) ?? [:]
    for found in (try? await store.collections()) ?? [] {
      if let rule = found.rule { uses.add(rule: rule, of: found.id) }
    }
    return uses
  }
}

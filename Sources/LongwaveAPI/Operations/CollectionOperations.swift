import Longwave
import Server
import Wire

// Operations on collections.
extension Operation {
  static let collections: [Operation] = [
    Operation(
      "GET", "/api/v1/collections", "listCollections",
      "The collections by their names, without members.", by: .administrators,
      answers: .json("Collections"), errors: [503]
    ) { call in
      let views = try await call.relay.collections.list()
      return .madeJSON { ["collections": .array(views.map(\.json))] }
    },
    Operation(
      "POST", "/api/v1/collections", "addCollection",
      "Makes a collection: a list that members are added to, or what a rule finds in the library.",
      by: .administrators, takes: "NewCollection", answers: .json("Collection", status: 201),
      errors: [400, 404, 409, 503]
    ) { call in
      let new = try CollectionBody.new(try call.json)
      let made = try await call.relay.collections.create(new.id, name: new.name, rule: new.rule)
      return .json(201, made.json)
    },
    Operation(
      "GET", "/api/v1/collections/{collection}", "getCollection",
      "A collection with its members, in their order.", by: .administrators,
      [
        Parameter("limit", Schema.integer(1...pageMax), "The most members; 100 unless given."),
        Parameter(
          "after",
          "The next of the page before, which holds though that member is taken out; or a member's number."
        ),
      ], answers: .json("Collection"), errors: [400, 404, 503]
    ) { (call: Call, id: String) in
      let (limit, after) = (try call.query.limit(upTo: pageMax), try after(call.query))
      let view = try await call.relay.collections.show(id, limit: limit, after: after)
      return .madeJSON { view.json }
    },
    Operation(
      "PATCH", "/api/v1/collections/{collection}", "changeCollection",
      "Gives a collection another name, or another rule; it counts from the next item of programmes on.",
      by: .administrators, takes: "CollectionPatch", answers: .json("Collection"),
      errors: [400, 404, 409, 503]
    ) { (call: Call, id: String) in
      let patch = try CollectionBody.change(try call.json)
      let changed = try await call.relay.collections.change(
        id, name: patch.name, rule: patch.rule)
      return .json(200, changed.json)
    },
    Operation(
      "DELETE", "/api/v1/collections/{collection}", "removeCollection",
      "Removes a collection that no station plays; tracks and files stay.", by: .administrators,
      answers: .nothing, errors: [404, 409, 503]
    ) { (call: Call, id: String) in
      try await call.relay.collections.remove(id)
      return .nothing
    },
    Operation(
      "POST", "/api/v1/collections/{collection}/members", "addMembers",
      "Adds tracks, URLs, collections, or what is on air at a station.", by: .administrators,
      takes: "NewMembers", answers: .json("Collection"), errors: [400, 404, 409, 503]
    ) { (call: Call, id: String) in
      var (new, station) = try CollectionBody.members(try call.json)
      if let station { new.tracks.append(try await call.relay.trackOnAir(at: station)) }
      return .json(200, try await call.relay.collections.add(new, to: id).json)
    },
    Operation(
      "DELETE", "/api/v1/collections/{collection}/members/{member}", "removeMember",
      "Takes a member out of a collection.", by: .administrators, answers: .nothing,
      errors: [404, 503],
      answeredBy: Answering { (call: Call, id: String, member: Int64) in
        try await call.relay.collections.remove(member: member, of: id)
        return .nothing
      }),
    Operation(
      "POST", "/api/v1/collections/{collection}/members/{member}/move", "moveMember",
      "Moves a member in front of another, or to the end.", by: .administrators,
      takes: "MemberPlace", answers: .json("Collection"), errors: [400, 404, 503],
      answeredBy: Answering { (call: Call, id: String, member: Int64) in
        let before = try CollectionBody.place(try call.json)
        let view = try await call.relay.collections.move(member: member, of: id, before: before)
        return .json(200, view.json)
      }),
    Operation(
      "POST", "/api/v1/collections/{collection}/import", "importCollection",
      "Adds the tracks of a list (m3u, m3u8, pls, xspf, cue), and says which of them are not in the library.",
      by: .administrators, takesList: true,
      [
        Parameter("base", "The folder from which relative paths in the list count."),
        Parameter(
          "name", "The name of the list's file, which tells its kind where nothing else does."),
      ], takes: "List", answers: .json("CollectionImport"), errors: [400, 404, 413, 415, 503],
      answeredBy: Answering { (call: Call, id: String) in
        let base = try base(call.query)
        let report = try await call.relay.collections.importList(
          call.request.body, name: call.query["name"] ?? "", base: base, to: id)
        return .madeJSON { report.json }
      }),
    Operation(
      "GET", "/api/v1/collections/{collection}/export", "exportCollection",
      "The tracks of a collection as a list for players.", by: .administrators,
      [
        Parameter(
          "format", Schema.words(CollectionDesk.Format.allCases.map(\.rawValue)),
          "m3u8 unless given; json has all members."),
        Parameter(
          "paths", Schema.words(["relative", "absolute", "url"]),
          "How files are named; relative to base, or to their roots, unless given."),
        Parameter("base", "The folder of the list, from which relative paths count."),
      ],
      answers: Answer(
        status: 200,
        content: [
          ("audio/x-mpegurl", Schema.text), ("application/xspf+xml", Schema.text),
          ("application/json", Schema.named("Collection")),
        ]), errors: [400, 404, 503]
    ) { (call: Call, id: String) in
      let format = try word(call.query, "format", CollectionDesk.Format.m3u8)
      let paths = try word(call.query, "paths", CollectionDesk.Paths.relative)
      let list = try await call.relay.collections.export(
        id, as: format, paths: paths, base: try base(call.query))
      return .whole(status: 200, mediaType: mediaType(of: format), body: list)
    },
  ]

  private static let pageMax = 1000

  private static func mediaType(of format: CollectionDesk.Format) -> String {
    switch format {
    case .m3u8: "audio/x-mpegurl"
    case .xspf: "application/xspf+xml"
    case .json: "application/json"
    }
  }

  private static func after(_ query: HTTPQuery) throws(APIError) -> MemberMark? {
    guard let text = query["after"] else { return nil }
    guard let after = MemberMark(text) else {
      throw APIError.badParameter("after", "write what next said")
    }
    return after
  }

  /// The folder of a list.
  private static func base(_ query: HTTPQuery) throws(APIError) -> String? {
    guard let base = query["base"] else { return nil }
    guard base.utf8.first == UInt8(ascii: "/"), !base.contains("\0") else {
      throw APIError.badParameter("base", "is no absolute path")
    }
    return base
  }

  /// Reads one of some words.
  static func word<Word: RawRepresentable & CaseIterable>(
    _ query: HTTPQuery, _ name: String, _ usual: Word
  ) throws(APIError) -> Word where Word.RawValue == String {
    guard let text = query[name] else { return usual }
    guard let word = Word(rawValue: text) else {
      let all = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIError.badParameter(name, "is none of \(all)")
    }
    return word
  }
}

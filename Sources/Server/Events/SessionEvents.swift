import Synchronization
import Timeshift
import Wire

/// An event of one session, told only to watchers of that session.
public struct SessionEvent: Sendable {
  public enum Change: Sendable {
    /// The listener hears another title.
    case heard(TitleMark)
    case moved(SessionMove)
  }

  public var session: SessionToken
  public var station: String
  /// Listener of the session; nil when none is connected.
  public var listener: UInt64?
  public var change: Change

  /// Name of the event's kind.
  public var name: String {
    switch change {
    case .heard: "metadata"
    case .moved: "moved"
    }
  }
}

/// A session's move: where it goes on, and why not where it was.
public struct SessionMove: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// To another time.
    case seek
    /// To the live edge.
    case live
    case pause
    case resume
    /// To another station.
    case station
    /// The listener took too little: the audio between is left out.
    case skip
    /// The audio that the listener was to get next is no longer there.
    case overrun
    /// To the fallback of its station.
    case fallback
    /// Back from the fallback.
    case home
  }

  public var reason: Reason
  /// The next packet that the listener will get, as a byte of the station's log.
  public var position: UInt64
  /// Live edge less play point, media seconds.
  public var offset: Double
}

/// The newest events of the sessions that are watched. The loop that has a session's listener writes them; the loops
/// that have its watchers read them. For a session without watchers no event is made or kept.
public final class SessionEvents: Sendable {
  /// An event in words.
  public struct Rendering: Sendable {
    public var kind: String
    /// One line of JSON.
    public var json: String

    public init(kind: String, json: String) {
      self.kind = kind
      self.json = json
    }
  }

  private struct Frame {
    var id: UInt64
    var kind: String
    var text: [UInt8]
  }

  private struct Watched {
    /// Differs from the serial of any earlier time that the session was watched.
    let serial: UInt64
    var watchers = 1
    /// The newest title that was told.
    var heard: Frame?
    var moves: [Frame] = []
  }

  private struct State {
    var sessions: [SessionToken: Watched] = [:]
    var serial: UInt64 = 0
    var lastID: UInt64 = 0
  }

  /// Moves of a session that are kept for a watcher that takes nothing for long.
  static let movesMax = 16

  private let state = Mutex(State())
  private let newest = Atomic<UInt64>(0)
  private let serial = Atomic<UInt64>(0)
  private let render: @Sendable (SessionEvent) -> Rendering

  /// - Parameter render: called on the loops' threads: it must not block.
  public init(
    render: @escaping @Sendable (SessionEvent) -> Rendering = {
      Rendering(kind: $0.name, json: "{}")
    }
  ) {
    self.render = render
  }

  // MARK: Watching

  /// Grows with each session that begins to be watched, or is no longer watched.
  var watchSerial: UInt64 { serial.load(ordering: .acquiring) }

  /// The sessions that are watched, each with the serial of the time that it has been.
  var watched: [SessionToken: UInt64] { state.withLock { $0.sessions.mapValues(\.serial) } }

  /// The id of the newest event of any session.
  var newestID: UInt64 { newest.load(ordering: .acquiring) }

  func watch(_ token: SessionToken) {
    state.withLock { state in
      if state.sessions[token] != nil {
        state.sessions[token]?.watchers += 1
      } else {
        state.sessions[token] = Watched(serial: changed(&state))
      }
    }
  }

  func unwatch(_ token: SessionToken) {
    state.withLock { state in
      state.sessions[token]?.watchers -= 1
      guard state.sessions[token]?.watchers == 0 else { return }
      state.sessions[token] = nil
      _ = changed(&state)
    }
  }

  private func changed(_ state: inout State) -> UInt64 {
    state.serial += 1
    serial.store(state.serial, ordering: .releasing)
    return state.serial
  }

  // MARK: Telling

  func post(_ event: SessionEvent) {
    guard state.withLock({ $0.sessions[event.session] != nil }) else { return }
    // Rendered outside of the lock.
    let rendering = render(event)
    let text = ServerSentEvent.text(kind: rendering.kind, json: rendering.json)
    state.withLock { state in
      guard var session = state.sessions[event.session] else { return }
      state.lastID += 1
      let frame = Frame(id: state.lastID, kind: rendering.kind, text: text)
      switch event.change {
      case .heard: session.heard = frame
      case .moved: session.moves = session.moves.suffix(Self.movesMax - 1) + [frame]
      }
      state.sessions[event.session] = session
      newest.store(state.lastID, ordering: .releasing)
    }
  }

  /// Returns what a watcher of a session has not been told yet.
  ///
  /// - Parameter after: nil for a new watcher, which is told what is current.
  func text(for filter: EventFilter, after id: UInt64?) -> (text: [UInt8], last: UInt64) {
    state.withLock { state in
      guard let session = filter.session.flatMap({ state.sessions[$0] }) else {
        return ([], state.lastID)
      }
      let heard = session.heard.map { [$0] } ?? []
      let frames = id == nil ? heard : (heard + session.moves).sorted { $0.id < $1.id }
      let told = frames.filter { $0.id > id ?? 0 && filter.wants($0.kind) }
      return (told.flatMap(\.text), state.lastID)
    }
  }
}

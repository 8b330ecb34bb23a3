/// What the server does with a connection: a row for each state, a cell for each thing that can happen to it.
///
/// The row is decided purely; `LoopParts` acts on it.
struct ConnectionRow: Equatable {
  /// The client has ended its sending half. It may read on, or may have gone, which nothing would show.
  var inputEnd: Act
  /// The socket takes bytes again.
  var writable: Act
  /// The time for the state is up.
  var deadline: Act
  /// The server begins to stop.
  var drain: Act
  /// Requests that were on their way when the server began to stop have had their time.
  var grace: Act
  /// Another connection needs the place; `.wait` for a connection that does not wait for its client.
  var eviction: Act
  /// Whether a standstill of the loop puts the deadline off. What lasts for a stated time is not put off.
  var isPutOff: Bool
  /// What is given back when the connection goes, or is about something else from now on.
  var leave: Leave
  /// Whether what is on its way still goes out when the server ends the connection.
  var lingers: Bool

  enum Act: Equatable {
    case wait
    case close(EndReason)
    /// 408: the request did not come in time.
    case answerTimeout
    /// 503: the answer was not there in time.
    case answerUnavailable
    case shakeHands, abandonHandshake
    /// Sends more of an answer.
    case sendReply
    /// Ends an answer short of its length.
    case endReply(EndReason)
    /// Serves a listener, in its shard and at its index there.
    case serve(shard: Int, index: Int)
    /// Ends a listener between two packets.
    case endListener(EndReason)
    case sendEvents
    case sayEnd
    /// Watches no input any more: the kernel would report its end again and again.
    case readNoMore
    /// The same, for a listener: a held one is ended.
    case listenOn
    /// The same, and nothing slow is waited for.
    case hurryJoin, hurryAnswer, hurryReply
  }

  enum Leave {
    case nothing, hello, handshake, reply, queue, shard, watch
  }

  /// What decides besides the state.
  struct Facts {
    /// Whether a source of SHOUTcast's has not given its password yet.
    var isLogin = false
    /// Whether the rest of a ClientHello is waited for.
    var awaitsHello = false
    /// Whether the client has had an answer before.
    var hasServed = false
    /// Whether the client hears a file.
    var hearsFile = false
    /// Whether the client is sent samples.
    var hearsSamples = false
    /// Whether the socket takes nothing for now.
    var isBlocked = false
  }
}

extension ConnectionRow {
  init(_ state: Connection.State, _ facts: Facts) {
    switch state {
    case .free:
      self.init(
        inputEnd: .wait, writable: .wait, deadline: .wait, drain: .wait,
        grace: .wait, eviction: .wait, isPutOff: false, leave: .nothing, lingers: false)
    case .shakingHands:
      self.init(
        inputEnd: .close(.clientGone), writable: .shakeHands,
        deadline: .abandonHandshake, drain: .wait, grace: .close(.draining),
        eviction: .abandonHandshake, isPutOff: true, leave: .handshake, lingers: false)
    case .reading(let head):
      // A client that has not begun to ask, or not in HTTP, has nothing to be answered.
      self.init(
        inputEnd: .close(.clientGone), writable: .wait,
        deadline: head.isEmpty || facts.isLogin ? .close(.clientGone) : .answerTimeout,
        drain: head.isEmpty && facts.hasServed ? .close(.draining) : .wait,
        grace: .close(.draining), eviction: .close(.clientGone), isPutOff: true,
        leave: facts.awaitsHello ? .hello : .nothing, lingers: false)
    case .readingBody:
      self.init(
        inputEnd: .close(.clientGone), writable: .wait, deadline: .answerTimeout,
        drain: .wait, grace: .close(.draining), eviction: .close(.clientGone), isPutOff: true,
        leave: .nothing, lingers: false)
    case .answering:
      self.init(
        inputEnd: .hurryAnswer, writable: .wait, deadline: .answerUnavailable,
        drain: .wait, grace: .wait, eviction: .wait, isPutOff: true, leave: .nothing,
        lingers: false)
    case .replying(let reply):
      // A file may be hours long, samples have no end. What has a `sending` has limits of its own, so it makes no room.
      self.init(
        inputEnd: .hurryReply, writable: .sendReply,
        deadline: .close(facts.hearsFile ? .pauseTimeout : .clientGone),
        drain: facts.hearsFile || facts.hearsSamples ? .endReply(.draining) : .wait, grace: .wait,
        eviction: facts.isBlocked && reply.sending == nil ? .close(.clientGone) : .wait,
        isPutOff: true, leave: .reply, lingers: false)
    case .joining:
      // `retryJoins` looks after the deadline of a join.
      self.init(
        inputEnd: .hurryJoin, writable: .wait, deadline: .wait, drain: .wait,
        grace: .wait, eviction: .wait, isPutOff: true, leave: .queue, lingers: false)
    case .listening(let shard, let index):
      self.init(
        inputEnd: .listenOn, writable: .serve(shard: shard, index: index),
        deadline: .endListener(.listeningTime), drain: .endListener(.draining), grace: .wait,
        eviction: .wait, isPutOff: false, leave: .shard, lingers: true)
    case .watching:
      self.init(
        inputEnd: .readNoMore, writable: .sendEvents,
        deadline: .close(.clientGone), drain: .close(.draining), grace: .wait, eviction: .wait,
        isPutOff: true, leave: .watch, lingers: false)
    case .lingering:
      // The client may still read what it has not been sent yet.
      self.init(
        inputEnd: facts.isBlocked ? .readNoMore : .close(.clientGone),
        writable: .sayEnd, deadline: .close(.clientGone), drain: .wait, grace: .wait,
        eviction: .close(.clientGone), isPutOff: true, leave: .nothing, lingers: false)
    }
  }
}

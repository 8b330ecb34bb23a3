import Reactor
import Timeshift
import Wire

/// Samples of a station as they are heard: requests for them, until their bodies are sent.
final class Taps {
  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers

  init(_ connections: Connections, _ answers: Answers) {
    self.connections = connections
    self.answers = answers
    loop = connections.loop
    shared = connections.shared
  }

  /// Gives back what was reserved to send samples, if anything.
  func leaveTap(_ slot: UInt32) {
    guard let place = answers.popClipPlace(slot, isTap: true) else { return }
    shared.tapPlaces.release(place.customer)
  }

  /// Answers an admitted request for samples, once decoding has begun.
  func open(_ slot: UInt32, _ head: HTTPRequestHead, _ request: SampleRequest, _ mount: Mount) {
    guard case .stream(let log, let delay) = mount.content, let maker = mount.samples else {
      connections.giveBackTicket(slot)
      return answers.replyError(
        slot, to: head, status: 404, code: "not-found", message: "this server decodes nothing")
    }
    let client = connections.client(slot, head)
    guard shared.tapPlaces.reserve(AddressBlock(client)) else {
      connections.counts.refuse(.address)
      connections.giveBackTicket(slot)
      return answers.replyError(
        slot, to: head, status: 429, code: "too-many-taps",
        message: "your address is being sent all the samples it may have at once",
        fields: [.init(name: "Retry-After", value: "10")])
    }
    let pause = mount.settings.pauseTimeout
    let patience = pause > 0 ? Int64(nanosecondsIn: pause) : nil
    answers.giveClipPlace(slot, head, ClipPlace(mount, client, patience: patience, isTap: true))
    guard answers.mayStart(slot, head, client, mount) else {
      return connections.giveBackTicket(slot)
    }
    mount.demand?.ask()
    let reach = mount.settings.reach
    var order = SampleOrder(
      station: mount.station, log: log, delay: delay, sampleRate: request.sampleRate,
      channels: request.channels, encoding: request.encoding, client: client.host
    ) { reader in
      Placement.find(request.place, burst: request.burst, in: reader, within: reach)?.start
    }
    let wait = mount.firstPacketTimeout ?? shared.configuration.firstPacketTimeout
    order.patience = mount.demand == nil ? 0 : wait
    connections.answerOffLoop(slot) { [order] in
      await maker.open(order)
    } then: { [self] slot, head, opened in
      switch opened {
      case .success(let source): send(slot, head, request, source)
      case .failure(let refusal): answers.refuse(slot, head, refusal, at: mount.station)
      }
    }
  }

  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: SampleRequest,
    _ source: any SampleSource
  ) {
    let fields = answers.answerHead(
      slot, to: head, status: 200,
      mediaType: request.isWAV ? "audio/wav" : source.format.mediaType, length: nil,
      keepsAlive: false,
      fields: [.init(name: "Longwave-Offset", value: StreamHead.seconds(source.offset))])
    let body =
      head.method == "HEAD"
      ? nil
      : SampleBody(
        source, head: request.isWAV ? source.format.endlessWAVHead() : [], burst: request.burst,
        now: loop.turnTime)
    let place = connections[slot].clip
    let sending = body.map { answers.makeSending(slot, $0, by: place) }
    answers.send(slot, fields, status: 200, keepsAlive: false, sending: sending)
  }
}

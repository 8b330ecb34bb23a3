import Logging
import LongwaveAPI
import Reactor
import Server
import TestSupport
import Testing

@testable import Longwave

/// Sources that come before their relay.
@Suite struct EarlySourceTests {
  @Test func `a source that waits at an open socket is taken as soon as the relay runs`()
    async throws
  {
    let fd = try Socket.listen(on: .ipv4(0x7F00_0001, port: 0), sharing: false)
    let address = try #require(Socket.localAddress(of: fd))
    let source = try StreamClient(
      to: address,
      sending: "SOURCE /live HTTP/1.0\r\n\(PushScenarioTests.right)Content-Type: audio/mpeg\r\n\r\n"
    )
    source.send(NumberedFrames.stream(0..<80))
    var configuration = Configuration()
    // The station of the source is not the first to run.
    configuration.stations = (0..<40).map { PushScenarioTests.station("a\($0)") }
    configuration.stations.append(PushScenarioTests.station())
    let data = TemporaryDirectory()
    var options = try RelayOptions(data: data.path, listen: [], interface: .http)
    options.opened = [OpenedSocket(fd: fd, address: address, isForShoutcast: false)]
    options.logger = LineLogHandler.logger(level: .critical)
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    try await source.until("the greeting") { $0.received.count > 12 }
    #expect(try source.head().status == 200)
    await relay.stop()
    withExtendedLifetime(data) {}
  }
}

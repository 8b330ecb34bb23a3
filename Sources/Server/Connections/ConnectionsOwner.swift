import Reactor
import Wire

/// Requests of connections, and of all parts built on them, to the parts above.
protocol ConnectionsOwner: AnyObject {
  /// Handler that the loop tells of descriptors and timers.
  var handlerID: HandlerID { get }
  /// Actor that feeds the listeners of sessions.
  var feeder: any SessionFeeding { get }

  /// Gives back all that a connection has taken, except its socket and its slot. The caller sets another state.
  func leave(_ slot: UInt32, _ reason: EndReason)
  /// Called when the client has ended its sending half.
  func inputEnded(_ slot: UInt32)
  /// Closes a connection that waits for its client, to make room for another one.
  func evict(_ slot: UInt32)
  /// Called when a descriptor was closed or handed over.
  func descriptorIsFree()
  /// Called when a request is answered: the next one may be read.
  func proceed(_ slot: UInt32)
  /// Lets a listener in after its session was freed.
  func letIn(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, to station: String)
  /// Keeps the beat running while there may be a connection to serve or to wait for.
  func keepTicking()
}

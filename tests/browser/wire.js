// Keep the messages between the page and the server for the test, and hold them back in the page itself.
(() => {
  const { addEventListener, send } = WebSocket.prototype;
  const wire = { holds: "", sent: [], heard: [], waiting: [], socket: null };
  const pass = (way, bytes, go) => {
    const text = btoa(Array.from(new Uint8Array(bytes), byte => String.fromCharCode(byte)).join(""));
    wire[way].push([text, wire.holds === way]);
    if (wire.holds === way) wire.waiting.push(go);
    else go();
  };
  WebSocket.prototype.send = function (data) {
    const bytes = data.slice(); // a view of a buffer that the page may fill again
    wire.socket = this;
    pass("sent", bytes, () => send.call(this, bytes));
  };
  WebSocket.prototype.addEventListener = function (type, hear, ...more) {
    const listen = event => pass("heard", event.data, () => hear.call(this, event));
    return addEventListener.call(this, type, type === "message" ? listen : hear, ...more);
  };
  wire.release = () => {
    wire.holds = "";
    for (const go of wire.waiting.splice(0)) go();
  };
  wire.say = bytes => send.call(wire.socket, new Uint8Array(bytes));
  wire.hear = bytes =>
    wire.socket.dispatchEvent(new MessageEvent("message", { data: new Uint8Array(bytes).buffer }));
  window.testWire = wire;
})();

// Closes the way out that no content security policy closes, before any other code runs: WebRTC
// reaches any host despite `connect-src`. The directive `webrtc 'block'` would close it, but
// Chromium does not know it and complains on its console.

const WEBRTC = [
  "RTCPeerConnection",
  "webkitRTCPeerConnection",
  "mozRTCPeerConnection",
  "RTCDataChannel",
  "RTCIceTransport",
];

for (const name of WEBRTC) Reflect.deleteProperty(globalThis, name);

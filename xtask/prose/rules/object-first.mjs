import { anywhere } from "../match.mjs";

export default {
  message: "Put the subject first: a clause with `that` follows its verb (`The policy knows that ...`).",
  find: anywhere(/\b[Tt]hat (?:they|it|he|she|we|there) (?:\w+ )?\w+, (?:it|they|he|she|we) (?:do|does|did|is|are|was|were|has|have|can|cannot|will|knows?|sees?)\b/),
  wrong: { comment: ["that they go, it does not know before", "That it ends, they know."] },
  right: { comment: ["The policy learns of the outage when it starts, and knows when it will end.", "The policy knows that it ends, and it waits."] },
};

// The state of the page. Every file reads its signals; only the actions here change them.
export * from "./columns";
export * from "./lanes";
export * from "./layout";
export * from "./lesson";
export * from "./look";
export * from "./messages";
export * from "./own";
export * from "./places";
export * from "./pointing";
export * from "./ranking";
export * from "./removal";
export * from "./rows";
export type { Seen } from "./seen";
export * from "./steps";
export * from "./tabs";
export * from "./trace";
export * from "./window";

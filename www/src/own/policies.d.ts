// The module that the bundler makes of examples/policies/ and pkg/policy.d.ts (policies.mjs).
declare module "own-policies" {
  /** A policy of the gallery. */
  export interface Example {
    file: string;
    id: string;
    name: string;
    summary: string;
    code: string;
  }
  /** A field or method of a type. */
  export interface Member {
    name: string;
    signature: string;
    /** Type of the field, or of what the method returns. */
    type: string;
    isMethod: boolean;
    doc: string;
  }
  export interface Described {
    doc: string;
    /** The types that it extends, as text. */
    parent: string;
    members: Member[];
  }
  export const gallery: Example[];
  export const types: Record<string, Described>;
}

/** Why a name could not be read: caught by demangle(), never seen outside. */
export class NotMangled extends Error {}

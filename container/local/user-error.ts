// A fault that the person who typed `npm start` can mend: its message is one sentence that says how.

export class UserError extends Error {}

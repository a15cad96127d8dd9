// As node-red-settings.js, with an editor that wants a sign-in and is not at the root: a user may do what its name says.
const settings = require('./node-red-settings');

const permissions = { full: '*', read: 'read' };

const find = (username) =>
  username in permissions ? { username, permissions: permissions[username] } : null;

module.exports = {
  ...settings,
  httpAdminRoot: '/red',
  adminAuth: {
    type: 'credentials',
    users: async (username) => find(username),
    // The name is the password.
    authenticate: async (username, password) => (username === password ? find(username) : null),
  },
};

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'zonal-facade' };

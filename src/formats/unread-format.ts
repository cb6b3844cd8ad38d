const HDF4_MAGIC = '0e031301';

/**
 * Why a file of a known format is not read, and how to convert it; undefined for other files.
 * @param head first bytes of the file
 */
export function unreadReason(path: string, head: Buffer): string | undefined {
  if (head.toString('latin1', 0, 4) === 'GRIB')
    return `${path} is GRIB, for which there is no maintained reader here; convert it to NetCDF: cdo -f nc4 copy ${path} OUT.nc, or grib_to_netcdf -D NC_FLOAT -o OUT.nc ${path}`;
  if (head.toString('hex', 0, 4) === HDF4_MAGIC)
    return `${path} is HDF4, for which there is no reader in JavaScript; convert its layers to GeoTIFF: gdal_translate -sds ${path} OUT.tif, or one of those that gdalinfo ${path} lists: gdal_translate NAME OUT.tif`;
  return undefined;
}
